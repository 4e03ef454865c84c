# SPDX-License-Identifier: MIT
"""One helper in a container, from the order to start it to the last process that it leaves."""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from attrs import define, field

from boxproof.grounds.container.script import exec_error
from boxproof.grounds.container.talk import Talk
from boxproof.grounds.launch import Launch
from boxproof.grounds.pipes import Input, Output

_REAP_SECONDS: Final = 15.0
_KILL_SECONDS: Final = 5.0
_SETTLE_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.02
_PF_DYING: Final = 0x4 | 0x400  # PF_EXITING | PF_SIGNALED, <linux/sched.h>
_SIGNAL: Final = 128
"""What a shell adds to the number of a signal to make a status of it."""
_LEFT_WORDS: Final = 5


@define(eq=False)
class Running:
    """A helper that is about to be started.

    Args:
        talk: the container.
        control: the folder with its FIFOs.
        bound: bytes to keep of each stream.
        stdin: what to feed, or ``None`` for ``/dev/null``.
        signals: pairs of seconds and a signal number, in the order of time.
        started: called with the helper's process number in the container.
    """

    talk: Talk
    control: Path
    bound: int
    stdin: bytes | None
    signals: list[tuple[float, int]]
    started: Callable[[int], None]
    _pid: int = field(default=0, init=False)
    _status: int | None = field(default=None, init=False)
    _failed: str = field(default="", init=False)
    _named: bool = field(default=False, init=False)
    _start: float = field(factory=time.monotonic, init=False)
    _outputs: tuple[Output, ...] = field(init=False)
    _input: Input | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        """Open this end of the streams: a reading end that was opened anew remembers no earlier writer (fifo(7))."""
        flags = os.O_NONBLOCK | os.O_CLOEXEC
        ends = [os.open(self.control / name, os.O_RDONLY | flags) for name in ("out", "err")]
        self._outputs = tuple(Output(self.bound, fd) for fd in ends)
        if self.stdin is not None:
            self._input = Input(self.stdin, feed=True, fd=os.open(self.control / "in", os.O_RDWR | flags))

    def finish(self, deadline: float, grace: float) -> Launch:
        """Start it, wait for its end or bring it about, and end whatever it leaves.

        Raises:
            EOFError: where the container has gone.
            OSError: likewise, or where it does not answer.
        """
        self.talk.order(f"launch {self.control / 'in' if self.stdin is not None else '/dev/null'}")
        timed_out = not self._watch(deadline)
        seconds = time.monotonic() - self._start
        if timed_out:
            self.talk.keep("kill")
            self._heed(self.talk.wait_for("ended", _REAP_SECONDS))
        # what a deadline cut short was not left behind by the helper
        left = self._kill() if timed_out else self._settle(grace)
        stdout, stderr = (output.finish() for output in self._outputs)
        return Launch(
            status=None if self._named else self._status,
            signal=(self._status or 0) - _SIGNAL if self._named else None,
            seconds=seconds,
            timed_out=timed_out,
            stdout=stdout,
            stderr=stderr,
            dropped=sum(output.dropped for output in self._outputs),
            left=tuple(left),
            exec_error=self._failed or exec_error(self._status, stderr),
        )

    def close(self) -> None:
        """Give the streams up."""
        for stream in self._streams:
            stream.close()

    @property
    def _streams(self) -> tuple[Output | Input, ...]:
        return (*self._outputs, self._input) if self._input else self._outputs

    def _watch(self, deadline: float) -> bool:
        """Carry bytes until the helper ends; false where its deadline comes first."""
        poller = select.poll()
        for fd in (self.talk.fileno(), *(output.fd for output in self._outputs)):
            poller.register(fd, select.POLLIN)
        while self._status is None and (pause := self._until_next_event(deadline)) > 0:
            events = dict(poller.poll(math.ceil(pause * 1000)))
            if self.talk.fileno() in events:
                self._hear(poller)
            for stream in self._streams:
                if stream.fd in events and not stream.carry():
                    poller.unregister(stream.fd)
                    stream.close()
        return self._status is not None

    def _hear(self, poller: select.poll) -> None:
        begun = bool(self._pid)
        self.talk.read()
        while line := self.talk.next():
            self._heed([line])
        if self._pid and not begun and self._input:
            # not before: the helper's end has to be open, or what is written is lost with this one
            poller.register(self._input.fd, select.POLLOUT)

    def _heed(self, lines: Sequence[str]) -> None:
        """Take note of what serve.sh says; a line of the shell's own names a death by signal."""
        for line in lines:
            match line.split():
                case ["started", pid]:
                    self._pid = int(pid)
                    self._start = time.monotonic()
                    self.started(self._pid)
                case ["failed", call]:
                    self._failed = f"{call}: EACCES"
                case ["ended", status]:
                    self._status = int(status)
                    self._named = self._named and self._status > _SIGNAL
                case _:
                    self._named = True

    def _until_next_event(self, deadline: float) -> float:
        """Send the signals that are due; return the seconds to the next, or to the deadline, 0 after it."""
        elapsed = time.monotonic() - self._start
        while self._pid and self.signals and self.signals[0][0] <= elapsed:
            self.talk.keep(f"signal {self.signals.pop(0)[1]} {self._pid}")
        return max(0.0, min([deadline, *(due for due, _ in self.signals)]) - elapsed) if elapsed < deadline else 0.0

    def _settle(self, grace: float) -> list[str]:
        """Wait for what the helper left; name what is alive after `grace` seconds, and kill it."""
        start = time.monotonic()
        while found := self._look():
            dying = any(int(flags) & _PF_DYING for _, _, flags, *_ in found)
            remaining = start + max(grace, _SETTLE_SECONDS if dying else 0.0) - time.monotonic()
            if remaining <= 0:
                self._kill()
                return [f"{pid} {' '.join(name)}" for pid, _, _, *name in found]
            select.select([self.talk], [], [], min(remaining, _LOOK_SECONDS))
        return []

    def _kill(self) -> list[str]:
        """Kill all processes of the container but its own two; return those that resist for five seconds."""
        limit = time.monotonic() + _KILL_SECONDS
        while found := self._look():
            self.talk.keep("kill")
            if time.monotonic() > limit:
                return [f"{pid} {' '.join(name)}" for pid, _, _, *name in found]
            select.select([self.talk], [], [], _LOOK_SECONDS)
        return []

    def _look(self) -> list[list[str]]:
        """Return pid, state, flags and name of each living process but the container's own."""
        self.talk.keep("look")
        lines = [line.split(" ", _LEFT_WORDS - 1)[1:] for line in self.talk.wait_for("looked", _REAP_SECONDS)[:-1]]
        return [words for words in lines if len(words) == _LEFT_WORDS - 1 and words[1] not in {"Z", "X"}]
