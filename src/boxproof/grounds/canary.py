# SPDX-License-Identifier: MIT
"""What a process sees under a condition, asked by the process itself just before it would become the helper.

Part of the launcher: standard library only, Python 3.9. Each question is answered in a child, so that one that changes
the process, such as making a namespace, changes nothing for the next.
"""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

from boxproof.conditions.numbers import NUMBERS
from boxproof.grounds import kernel

_FLAGS: Final = {"user": kernel.CLONE_NEWUSER, "net": 0x40000000, "pid": 0x20000000, "mount": kernel.CLONE_NEWNS}
_SCHED_CHILD: Final = signal.SIGCHLD
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_GET_NO_NEW_PRIVS: Final = 39
_FS_BITS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16}
_NEWER: Final = {1: (1 << 13,), 2: (1 << 14,), 3: (1, 1), 4: (1 << 15,), 5: (1, 0, 1)}
"""By ABI, what ``landlock_create_ruleset(2)`` of the next one takes; ABI 7 differs by flags of restrict_self alone."""
_FILL: Final = 1 << 24
_FAR: Final = 0xFFFFFFFF


def answer_all(questions: Sequence[Sequence[str]], *, out: int) -> None:
    """Write one line for each question to `out`: an errno's name, a number or a path."""
    for name, *arguments in questions:
        os.write(out, f"{_in_a_child(name, arguments)}\n".encode())


def _in_a_child(name: str, arguments: Sequence[str]) -> str:
    read, write = os.pipe()
    try:
        pid = os.fork()
    except OSError as error:
        return kernel.error_name(error.errno)
    if pid == 0:
        try:
            os.write(write, str(_QUESTIONS[name](*arguments)).encode())
        except OSError as error:
            os.write(write, kernel.error_name(error.errno).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as answer:
        said = answer.read().decode("utf-8", "surrogateescape")
    os.waitpid(pid, 0)
    return said or "died"


def _call(name: str) -> str:
    """Make a call with arguments that no kernel accepts."""
    number = NUMBERS[os.uname().machine].get(name)
    if number is None:
        raise FileNotFoundError(2, name)
    far = ctypes.c_ulong(_FAR)
    kernel.system_call(number, far, far, far, far, far, far)
    return "ok"


def _unshare(*kinds: str) -> str:
    for kind in kinds:
        kernel.unshare(_FLAGS[kind])
    return "ok"


def _unshare_in_user(kind: str) -> str:
    return _unshare("user", kind)


def _clone(kind: str) -> str:
    number = NUMBERS[os.uname().machine]["clone"]
    pid = kernel.system_call(number, ctypes.c_ulong(_FLAGS[kind] | _SCHED_CHILD), None, None, None, None)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return "ok"


def _call_in_user(name: str) -> str:
    """Make a call as one who may: in a user namespace of its own."""
    _unshare("user", "mount")
    return _call(name)


def _mount() -> str:
    _unshare("user", "mount")
    kernel.mount(b"none", b"/", b"", kernel.MS_REC | kernel.MS_PRIVATE)
    return "ok"


def _mount_proc() -> str:
    uid, gid = os.geteuid(), os.getegid()
    _unshare("user", "mount", "pid")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
    kernel.mount(b"none", b"/", b"", kernel.MS_REC | kernel.MS_PRIVATE)
    return _in_a_child("mount-proc-here", ())


def _mount_proc_here() -> str:
    kernel.mount(b"proc", b"/mnt", b"proc", kernel.MS_NOSUID | kernel.MS_NODEV)
    return "ok"


def _map_files() -> str:
    """Map an identity as programs do it: none of them creates the file."""
    uid = os.geteuid()
    _unshare("user")
    fd = os.open("/proc/self/uid_map", os.O_WRONLY)
    os.write(fd, f"{uid} {uid} 1".encode())
    return "ok"


def _loopback() -> str:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as netlink:
        netlink.sendto(bytes(16), (0, 0))
    return "ok"


def _seccomp() -> str:
    allow = struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000)
    buffer = ctypes.create_string_buffer(allow, len(allow))
    kernel.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    number = NUMBERS[os.uname().machine]["seccomp"]
    kernel.system_call(number, 1, 0, struct.pack("HxxxxxxQ", 1, ctypes.addressof(buffer)))
    return "ok"


def _landlock_version() -> int:
    number = NUMBERS[os.uname().machine]["landlock_create_ruleset"]
    return kernel.system_call(number, None, ctypes.c_size_t(0), 1)


def _landlock_beyond(abi: str) -> str:
    """Ask for every right to files of this ABI, which must work, then for something newer."""
    create = NUMBERS[os.uname().machine]["landlock_create_ruleset"]
    known = struct.pack("<Q", (1 << _FS_BITS[int(abi)]) - 1)
    ruleset = kernel.system_call(create, known, ctypes.c_size_t(8), 0)
    try:
        if newer := _NEWER.get(int(abi)):
            attribute = struct.pack(f"<{len(newer)}Q", *newer)
            kernel.system_call(create, attribute, ctypes.c_size_t(len(attribute)), 0)
        else:
            kernel.prctl(_PR_SET_NO_NEW_PRIVS, 1)
            kernel.system_call(NUMBERS[os.uname().machine]["landlock_restrict_self"], ruleset, 1)
    except OSError:
        return "refused"
    return "accepted"


def _stat(path: str) -> str:
    os.lstat(path)
    return "ok"


def _create(folder: str) -> str:
    path = os.path.join(folder, "canary")
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    os.unlink(path)
    return "ok"


def _fill(folder: str) -> str:
    path = os.path.join(folder, "canary")
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    try:
        os.write(fd, bytes(_FILL))
    finally:
        os.unlink(path)
    return "ok"


def _limit(name: str) -> int:
    return resource.getrlimit(getattr(resource, name))[0]


def _no_new_privs() -> int:
    return kernel.prctl(_PR_GET_NO_NEW_PRIVS, 0)


def _fork() -> str:
    return "ok"


def _on_path(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(2, name)
    return os.path.abspath(found)


_QUESTIONS: Final[Mapping[str, Callable[..., str | int]]] = {
    "call": _call,
    "call-in-user": _call_in_user,
    "unshare": _unshare,
    "unshare-in-user": _unshare_in_user,
    "clone": _clone,
    "mount": _mount,
    "mount-proc": _mount_proc,
    "mount-proc-here": _mount_proc_here,
    "map-files": _map_files,
    "loopback": _loopback,
    "seccomp": _seccomp,
    "landlock-version": _landlock_version,
    "landlock-beyond": _landlock_beyond,
    "stat": _stat,
    "create": _create,
    "fill": _fill,
    "limit": _limit,
    "no-new-privs": _no_new_privs,
    "fork": _fork,
    "on-path": _on_path,
}


def answer_and_end(questions: Sequence[Sequence[str]], env: Mapping[bytes, bytes]) -> NoReturn:
    """Answer `questions` on standard output in this process, which would have become the helper; never return."""
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # or /proc/self would not be ours
    os.environb.clear()
    os.environb.update(env)
    answer_all(questions, out=1)
    os._exit(0)
