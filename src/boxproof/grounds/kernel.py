# SPDX-License-Identifier: MIT
"""The system calls that Python has no function for; each raises `OSError` that names the call.

Sources: prctl(2), unshare(2), setns(2), mount(2), umount2(2), capset(2) and the headers named at the constants.
Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from typing import Final

# <sched.h>
CLONE_NEWNS: Final = 0x20000
CLONE_NEWUSER: Final = 0x10000000
# <sys/mount.h>
MS_NOSUID: Final = 0x2
MS_NODEV: Final = 0x4
MS_BIND: Final = 0x1000
MS_REC: Final = 0x4000
MS_UNBINDABLE: Final = 0x20000
MS_PRIVATE: Final = 0x40000
MNT_DETACH: Final = 0x2
# <linux/prctl.h>
PR_SET_PDEATHSIG: Final = 1
PR_SET_DUMPABLE: Final = 4
PR_SET_CHILD_SUBREAPER: Final = 36
# <linux/capability.h>
_CAPABILITY_VERSION_3: Final = 0x20080522

_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def prctl(option: int, argument: int) -> int:
    """Set one attribute of this process, or return one."""
    return _call("prctl", option, ctypes.c_ulong(argument), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))


def unshare(flags: int) -> None:
    """Leave the namespaces that `flags` names for new ones."""
    _call("unshare", flags)


def setns(fd: int, kind: int) -> None:
    """Join the namespace of that kind behind a descriptor."""
    _call("setns", fd, kind)


def mount(source: bytes, target: bytes, kind: bytes, flags: int, options: bytes = b"") -> None:
    """Mount `source` on `target`."""
    _call("mount", source, target, kind, ctypes.c_ulong(flags), options)


def unmount(target: bytes) -> None:
    """Take away what is mounted on `target`, at once for all who look and later for those who hold it."""
    _call("umount2", target, MNT_DETACH)


def system_call(number: int, *arguments: object) -> int:
    """Make the call with this number and return what it returns."""
    result = int(_LIBC.syscall(ctypes.c_long(number), *arguments))
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"syscall {number}: {error_name(error)}")
    return result


def pivot_root(new: bytes, old: bytes) -> None:
    """Take the mount at `new` as root, and put the old root at `old`; both may be the same folder."""
    _call("pivot_root", new, old)


def drop_capabilities() -> None:
    """Clear the effective, permitted and inheritable sets, and the ambient one with them."""
    _call("capset", struct.pack("Ii", _CAPABILITY_VERSION_3, 0), bytes(24))


def error_name(number: int | None) -> str:
    """Return an errno's name, such as ``ENOENT``; ``EINVAL`` for what Python refused before the kernel could."""
    return errno.errorcode.get(number or errno.EINVAL, str(number))


def _call(name: str, *arguments: object) -> int:
    result = int(getattr(_LIBC, name)(*arguments))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {error_name(number)}")
    return result
