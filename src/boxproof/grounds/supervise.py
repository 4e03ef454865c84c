# SPDX-License-Identifier: MIT
"""The supervisor: answers the system calls for which a helper's filter asks (seccomp_unotify(2)).

It lives in the launcher, which is under no filter of its own: a supervisor that is would wait for itself. A task has
one listener at most, so a helper that installs its own is told EBUSY by the kernel, and `clashed` says so.
Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from boxproof.conditions.landlock import Abi, Answer
from boxproof.conditions.numbers import NUMBERS
from boxproof.grounds import descendants
from boxproof.grounds.wire import JSON

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTIFICATION: Final = struct.Struct("<QII iIQ6Q")
_RESPONSE: Final = struct.Struct("<QqiI")
_CONTINUE: Final = 1
_CLONE_NEWUSER: Final = 0x10000000
_FILTER_FLAG_NEW_LISTENER: Final = 1 << 3
_CAP_SYS_ADMIN: Final = 1 << 21
_MAP_FILES: Final = (b"uid_map", b"gid_map")
_PATH_BOUND: Final = 256
_DEATH_SECONDS: Final = 1.0


class Supervisor:
    """Answers for one launch.

    Args:
        fd: the listener that came with the filter.
        wanted: ``landlock``, the ABI that is there and the one that is claimed; the errno of
            ``userns_without_capability`` and of ``map_files``; ``strike``, the call at which the helper is sent a
            signal, which of these calls, and the signal, or nothing where calls are only counted.
        helper: the process that is struck.
    """

    def __init__(self, fd: int, wanted: JSON, helper: int = 0) -> None:
        self.fd = fd
        self.clashed = False
        self.calls = ""
        self._helper = helper
        self._abi = Abi(*wanted["landlock"]) if wanted.get("landlock") else None
        self._wanted = wanted
        self._names = {number: name for name, number in NUMBERS[os.uname().machine].items()}
        self._own_namespace = os.stat("/proc/self/ns/user").st_ino

    def serve(self) -> None:
        """Answer one call; nothing to do where its caller has gone meanwhile."""
        notification = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self.fd, _RECEIVE, notification)
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.EINTR}:
                return
            raise
        number, pid, _, call, _, _, *arguments = _NOTIFICATION.unpack(notification)
        try:
            answer = self._answer(self._names.get(call, ""), pid, arguments)
        except OSError:  # the caller has gone, or it handed over an address that is not mapped: the kernel's business
            answer = None
        self._send(number, answer)

    def close(self) -> None:
        """Stop; calls that still wait fail with ENOSYS."""
        os.close(self.fd)

    def _send(self, number: int, answer: Answer) -> None:
        if answer is None:
            response = _RESPONSE.pack(number, 0, 0, _CONTINUE)
        elif answer < 0:
            response = _RESPONSE.pack(number, 0, answer, 0)
        else:
            response = _RESPONSE.pack(number, answer, 0, 0)
        try:
            fcntl.ioctl(self.fd, _SEND, response)
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise

    def _answer(self, name: str, pid: int, arguments: Sequence[int]) -> Answer:
        if "strike" in self._wanted:
            self._count(name)
        elif name == "seccomp":
            self.clashed |= bool(arguments[1] & _FILTER_FLAG_NEW_LISTENER)
        elif name.startswith("landlock_") and self._abi is not None:
            return _landlock(self._abi, name, pid, arguments)
        elif name in {"unshare", "clone"} and arguments[0] & _CLONE_NEWUSER:
            return None if self._is_privileged(pid) else -int(self._wanted["userns_without_capability"])
        elif name == "openat" and _read_path(pid, arguments[1]).endswith(_MAP_FILES):
            return -int(self._wanted["map_files"])
        return None

    def _count(self, name: str) -> None:
        """Note a call, and strike where it is the one that was asked for."""
        self.calls += f"{name} "
        strike = self._wanted["strike"]
        if strike and [name, self.calls.split().count(name)] == strike[:2]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._helper, strike[2])
            descendants.await_end([self._helper], _DEATH_SECONDS)
            descendants.await_dying(_DEATH_SECONDS)

    def _is_privileged(self, pid: int) -> bool:
        """Tell whether a caller holds CAP_SYS_ADMIN where the launcher's user namespace is, as ``capable()`` asks."""
        own = os.stat(f"/proc/{pid}/ns/user").st_ino == self._own_namespace
        return own and _may_administer(pid)


def _landlock(abi: Abi, name: str, pid: int, arguments: Sequence[int]) -> Answer:
    if name == "landlock_create_ruleset":
        address, size, flags = arguments[0], arguments[1], arguments[2] & 0xFFFFFFFF
        return abi.create_ruleset(_read(pid, address, size) if address else None, size, flags)
    descriptor = arguments[0] & 0xFFFFFFFF
    if not _is_ruleset(pid, descriptor):
        return None
    if name == "landlock_add_rule":
        return abi.add_rule(arguments[1], arguments[3] & 0xFFFFFFFF)
    return abi.restrict_self(arguments[1] & 0xFFFFFFFF) if _may_restrict(pid) else None


def _is_ruleset(pid: int, descriptor: int) -> bool:
    try:
        return "landlock-ruleset" in os.readlink(f"/proc/{pid}/fd/{descriptor}")
    except OSError:
        return False


def _may_restrict(pid: int) -> bool:
    return _status(pid, "NoNewPrivs") == 1 or _may_administer(pid)


def _may_administer(pid: int) -> bool:
    return bool(_status(pid, "CapEff") & _CAP_SYS_ADMIN)


def _status(pid: int, field: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{field}:")).split()[1], 16)


def _read(pid: int, address: int, size: int) -> bytes | None:
    """Return up to a page and one byte of a process' memory, none where nothing is mapped there."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        try:
            return os.pread(memory.fileno(), min(size, 4097), address)
        except (OSError, OverflowError):
            return None


def _read_path(pid: int, address: int) -> bytes:
    return (_read(pid, address, _PATH_BOUND) or b"").split(b"\0", 1)[0]
