# SPDX-License-Identifier: MIT
"""Signals to this process, as bytes in a pipe that can be waited for together with other descriptors."""

from __future__ import annotations

import os
import select
import signal

RELAYED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
"""What is passed on to the command. One that the caller ignores stays ignored."""


def hold() -> set[int]:
    """Block the relayed signals, so that none can end this process half-way; gives the caller's mask.

    SIGCHLD waits with them: a blocked signal is kept, whatever its disposition.
    """
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, (*RELAYED, signal.SIGCHLD)))


class Inbox:
    """Collects the signals that the caller's mask lets in, those held so far first.

    `descriptor` becomes readable when there is one, or when a child has ended.
    """

    __slots__ = ("_writing", "descriptor")

    def __init__(self, mask: set[int]) -> None:
        self.descriptor, self._writing = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(self._writing, False)
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _noted)
        for number in RELAYED:
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, _noted)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask - {signal.SIGCHLD})

    def wait(self, *others: int, seconds: float | None = None) -> None:
        """Sleep until a signal has arrived, a child has ended, one of `others` can be read, or the time is over."""
        poll = select.poll()
        for descriptor in (self.descriptor, *others):
            poll.register(descriptor, select.POLLIN)
        poll.poll(None if seconds is None else max(0, seconds * 1000))

    def taken(self) -> list[int]:
        """The relayed signals that have arrived since the last call, in order."""
        try:
            return [number for number in os.read(self.descriptor, 4096) if number in RELAYED]
        except BlockingIOError:
            return []


def _noted(_number: int, _frame: object) -> None:
    """The number is in the pipe already."""
