# SPDX-License-Identifier: MIT
"""The processes of one sandbox, from outside: found, signalled, killed and awaited."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

DEATH = 5.0
"""Seconds to wait for killed processes; the kernel needs milliseconds."""

STOP = 0.2
"""Seconds to wait for a process to stop; one that sleeps in the kernel does not make another either."""

TICK = 0.0005
"""Seconds between two looks at what nobody tells."""

RUNNING = (b"R", b"S", b"D")
"""States (proc_pid_stat(5)) of a process that has not stopped yet."""


class Handle:
    """One process, mostly the first of the sandbox's pid namespace: when that is gone, every process there is gone."""

    __slots__ = ("_descriptor", "pid")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor = _descriptor(pid)

    def signal_command(self, number: int) -> bool:
        """Send a signal to the command's process group, as a terminal would; false if there is no command."""
        command = children(self.pid)[:1]
        for pid in command:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(os.getpgid(pid), number)
        return bool(command)

    def command_ignores(self, number: int) -> bool:
        """Whether the command ignores a signal; one that handles it may have its reasons to go on."""
        ignored = [status(pid, b"SigIgn") for pid in children(self.pid)[:1]]
        return any(int(mask or b"0", 16) >> (number - 1) & 1 for mask in ignored)

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


def descends(pid: int, ancestor: int) -> bool:
    """Whether a process is below another: a number that somebody reports may be anybody's."""
    while pid > 1:
        pid = int(status(pid, b"PPid") or 0)
        if pid == ancestor:
            return True
    return False


def kill_tree(pid: int) -> list[Handle]:
    """Kill a process and all that descend from it, and give them; each is stopped first, and cannot make another."""
    killed = [Handle(pid)]
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        await_stop(pid)
        for child in children(pid):
            killed += kill_tree(child)
        os.kill(pid, signal.SIGKILL)
    return killed


def await_stop(pid: int) -> None:
    """Return when a process has stopped or ended: until then it may be in the middle of making another."""
    deadline = time.monotonic() + STOP
    while status(pid, b"State")[:1] in RUNNING and time.monotonic() < deadline:
        time.sleep(TICK)


def has_no_capability(pid: int) -> bool:
    """Whether a process has no effective capability, as bwrap's when it has made the last mount."""
    return status(pid, b"CapEff") == b"0000000000000000"


def status(pid: int, field: bytes) -> bytes:
    """The value of one line of a process's status (proc_pid_status(5)); empty if it is gone."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            lines = file.read().split(b"\n")
    except OSError:
        return b""
    return next((line.split(b"\t", 1)[1] for line in lines if line.startswith(field + b":")), b"")


def reaped(pid: int) -> int | None:
    """How a child ended (its status, or 128 and the signal), or None while it runs."""
    found, ended = os.waitpid(pid, os.WNOHANG)
    if not found:
        return None
    return 128 + os.WTERMSIG(ended) if os.WIFSIGNALED(ended) else os.WEXITSTATUS(ended)


def _descriptor(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None  # Gone already, or a kernel before 5.3.
