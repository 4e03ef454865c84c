# SPDX-License-Identifier: MIT
"""What a lost launcher left behind, found by marks that a process keeps: its environment and its session."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Final

from boxproof.grounds.descendants import await_end, stat_fields

COOKIE: Final = "BOXPROOF_LAUNCH"
"""The variable by which everything that a launcher started can be known."""

_SWEEP_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.03
_EMPTY_LOOKS: Final = 3


def stragglers(cookie: str, session: int = 0) -> list[int]:
    """Return the living processes that have `cookie` in their first environment, or belong to `session` (proc(5))."""
    mark = f"{COOKIE}={cookie}".encode()
    running = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in running if _is_marked(pid, mark, session)]


def sweep(cookie: str, session: int = 0) -> list[int]:
    """Kill what `stragglers` finds, and return what resists for five seconds.

    One look is not enough: in the middle of execve(2) a process shows no environment.
    """
    limit = time.monotonic() + _SWEEP_SECONDS
    empty_looks = 0
    while empty_looks < _EMPTY_LOOKS and time.monotonic() < limit:
        found = stragglers(cookie, session)
        for pid in found:
            _kill(pid, cookie, session)
        empty_looks = 0 if found else empty_looks + 1
        await_end(found, _LOOK_SECONDS)
    return stragglers(cookie, session)


def _is_marked(pid: int, mark: bytes, session: int) -> bool:
    fields = stat_fields(pid)
    if not fields or fields[0] in "ZX" or pid == os.getpid():
        return False
    if session and int(fields[3]) == session:
        return True
    with contextlib.suppress(OSError):  # another user's, or gone
        return mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False


def _kill(pid: int, cookie: str, session: int) -> None:
    """Kill through a pidfd, looking once more, since a number may have passed to another process."""
    with contextlib.suppress(OSError):
        pidfd = os.pidfd_open(pid)
        try:
            if _is_marked(pid, f"{COOKIE}={cookie}".encode(), session):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        finally:
            os.close(pidfd)
