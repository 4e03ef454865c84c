# SPDX-License-Identifier: MIT
"""A user and mount namespace for this process, and mounts in it (user_namespaces(7), mount(2)), by way of libc.

The standard library has these calls only from Python 3.12 on, or not at all. `ctypes` is imported where it is needed,
which is seldom.
"""

from __future__ import annotations

import errno
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_REC = 0x4000
MS_SLAVE = 0x80000
MNT_DETACH = 0x2
PR_SET_SECCOMP = 22
SECCOMP_MODE_FILTER = 2


def enter_mount_namespace() -> None:
    """Move this process into a mount namespace whose mounts do not reach the host; `OSError` where none is to be had.

    Without root's rights a user namespace comes with it, in which the caller keeps its own uid and gid.
    """
    if os.geteuid() != 0:
        enter_user_namespace()
    unshare(CLONE_NEWNS)
    _call("mount", None, b"/", None, MS_REC | MS_SLAVE, None)


def enter_user_namespace() -> None:
    """Move this process into a user namespace in which it keeps its uid and gid; raises `OSError`."""
    user, group = os.geteuid(), os.getegid()
    unshare(CLONE_NEWUSER)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def unshare(flags: int) -> None:
    """Move this process, or for pids its children, into new namespaces (unshare(2)); raises `OSError`."""
    _call("unshare", flags)


def mount(source: bytes, target: bytes, kind: bytes, flags: int, options: bytes) -> None:
    """Mount `source` at `target`; raises `OSError`."""
    _call("mount", source, target, kind, flags, options)


def unmount(target: bytes) -> None:
    """Unmount at once, whatever still uses it; raises `OSError`."""
    _call("umount2", target, MNT_DETACH)


def mount_proc() -> None:
    """Mount the /proc of a new pid namespace over the old one; raises `OSError`."""
    mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV, b"")


def filter_nothing() -> None:
    """Whether this kernel takes filters (prctl(2)): with none given, one that does says EFAULT; raises other errors."""
    try:
        _call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, None)
    except OSError as error:
        if error.errno != errno.EFAULT:
            raise


def nothing() -> None:
    """Do nothing: to see whether there can be a process to do it."""


def _call(name: str, *arguments: bytes | int | None) -> None:
    import ctypes  # noqa: PLC0415 - costs milliseconds, and most runs reserve nothing

    library = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_ulong(argument) if isinstance(argument, int) else argument for argument in arguments]
    if getattr(library, name)(*words) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
