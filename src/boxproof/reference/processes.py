# SPDX-License-Identifier: MIT
"""The processes of one sandbox, from outside: found, signalled, killed and awaited."""

from __future__ import annotations

import contextlib
import os
import select
import signal

DEATH = 5.0
"""Seconds to wait for killed processes; the kernel needs milliseconds."""


class Handle:
    """The first process of the sandbox's pid namespace: when it is gone, every process there is gone."""

    __slots__ = ("_descriptor", "pid")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor = _descriptor(pid)

    def signal_command(self, number: int) -> bool:
        """Send a signal to the command; false if there is none yet, or no more."""
        command = children(self.pid)[:1]
        for pid in command:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return bool(command)

    def kill(self) -> None:
        """Kill the first process, and with it, by the kernel, all others."""
        with contextlib.suppress(ProcessLookupError):
            if self._descriptor is None:
                os.kill(self.pid, signal.SIGKILL)
            else:
                signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)

    def wait(self) -> None:
        """Return when the first process is gone: bwrap ends a moment before it (HOST-3)."""
        if self._descriptor is not None:
            poll = select.poll()
            poll.register(self._descriptor, select.POLLIN)
            poll.poll(DEATH * 1000)


def children(pid: int) -> list[int]:
    """The children of a process, oldest first; none if it is gone."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            return [int(number) for number in file.read().split()]
    except OSError:
        return []


def kill_tree(pid: int) -> None:
    """Kill a process and all that descend from it; each is stopped first, so that it cannot make another."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        for child in children(pid):
            kill_tree(child)
        os.kill(pid, signal.SIGKILL)


def reaped(pid: int) -> int | None:
    """How a child ended (its status, or 128 and the signal), or None while it runs."""
    found, status = os.waitpid(pid, os.WNOHANG)
    if not found:
        return None
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _descriptor(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None  # Gone already, or a kernel before 5.3.
