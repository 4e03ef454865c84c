# SPDX-License-Identifier: MIT
"""One helper, from fork to the last of its descendants.

Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import math
import os
import select
import socket
import sys
import time
from collections.abc import Iterable
from typing import Final, Optional

from boxproof.grounds import descendants
from boxproof.grounds.birth import Birth
from boxproof.grounds.pipes import Input, Output
from boxproof.grounds.supervise import Supervisor
from boxproof.grounds.wire import JSON, from_wire, receive, send

_REAP_SECONDS: Final = 5.0
_REPORT_BOUND: Final = 200
_CALM_SECONDS: Final = 0.05
"""How long outputs are left in their pipes: mostly until the helper ends, so that nobody is woken for every line."""


class Running:
    """A helper that was started; `pid` is its process, session and process group.

    Args:
        request: ``argv env cwd executable null_fds uid gid`` as `Birth` takes them; ``deadline`` and ``grace``
            in seconds; ``bound``, the bytes to keep of each stream; ``feed``, whether stdin is a pipe;
            ``condition`` and ``canary`` as `Launcher.launch` has them; ``given``, what else is inherited;
            ``hold``, ``cue`` and ``keep`` as `Attendance` has them; ``signals``, pairs of
            seconds and a signal number in the order of time.
        stdin: what to feed.
        spared: a child of the launcher that is none of this helper's.
    """

    def __init__(self, request: JSON, stdin: bytes, spared: int = 0) -> None:
        self._request = request
        self._spared = spared
        self._start = time.monotonic()
        self._outputs = (Output(request["bound"]), Output(request["bound"]))
        self._input = Input(stdin, feed=request["feed"])
        self._cue = from_wire(request["cue"])
        self._cued: Optional[float] = None  # noqa: UP045 - Python 3.9 evaluates it
        self._zero: Optional[float] = None if self._cue else self._start  # noqa: UP045
        self._report = Output(_REPORT_BOUND)
        self._supervisor: Optional[Supervisor] = None  # noqa: UP045 - Python 3.9 evaluates it
        self.pid = self._begin()

    def finish(self, control: socket.socket) -> tuple[JSON, bytes]:
        """Wait for the end, or bring it about at the deadline, and return the two parts of the reply.

        Raises:
            SystemExit: where the engine went away meanwhile.
        """
        timed_out = not self._watch(control)
        seconds = time.monotonic() - self._start
        status = self._status(timed_out=timed_out)
        # What a deadline cut short was not left behind by the helper.
        left = [] if timed_out else descendants.settle(self._request["grace"], self._wait, self._spared)
        if self._supervisor is not None:
            self._supervisor.close()
        stuck = descendants.end_all(self._spared)
        stdout, stderr = (output.finish() for output in self._outputs)
        self._input.close()
        reply = {
            "status": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
            "seconds": seconds,
            "timed_out": timed_out,
            "stdout": len(stdout),
            "dropped": [output.dropped for output in self._outputs],
            "left": left or stuck,
            "clashed": self._supervisor is not None and self._supervisor.clashed,
            "calls": self._supervisor.calls if self._supervisor is not None else "",
            "cued_after": self._cued,
            "exec_error": self._report.finish().decode("ascii"),
        }
        return reply, stdout + stderr

    def _begin(self) -> int:
        helper_ends = (self._input.helper_end, *(output.helper_end for output in self._outputs))
        supervised = bool(self._request["condition"] and self._request["condition"]["supervise"])
        ours, theirs = socket.socketpair() if supervised else (None, None)
        listener = theirs.fileno() if theirs else -1
        pid = Birth(self._request, helper_ends, self._report.helper_end, listener).start()
        for fd in (*helper_ends, self._report.helper_end):
            os.close(fd)
        if ours and theirs:
            theirs.close()
            self._supervisor = self._listen(ours, pid)
        return pid

    def _listen(self, channel: socket.socket, helper: int) -> Supervisor | None:
        """Take the listener that the helper's condition installed; none where it failed to."""
        with channel:
            _, fds, _, _ = socket.recv_fds(channel, 1, 1)
            if not fds:
                return None
            supervisor = Supervisor(fds[0], self._request["condition"]["supervise"], helper)
            channel.send(b"l")
            return supervisor

    def _watch(self, control: socket.socket) -> bool:
        """Carry bytes until the helper ends; false where its deadline comes first."""
        pidfd = os.pidfd_open(self.pid)
        poller = self._poller(pidfd, control.fileno())
        ended, calm = False, not self._cue
        if self._cue:
            self._register_outputs(poller)
        while not ended and (pause := self._until_next_event()) > 0:
            events = dict(poller.poll(math.ceil(min(pause, _CALM_SECONDS if calm else pause) * 1000)))
            if control.fileno() in events:
                self._go_on(control)
            if calm and not events:
                calm = False
                self._register_outputs(poller)
            self._carry(events, poller)
            self._tell_cue(control)
            ended = pidfd in events
        os.close(pidfd)
        return ended

    def _tell_cue(self, control: socket.socket) -> None:
        """Tell the engine, once, that the command waits."""
        if self._cue and self._cued is None and any(output.holds(self._cue) for output in self._outputs):
            self._cued = time.monotonic() - self._start
            send(control, {"cued": self._cued})

    def _go_on(self, control: socket.socket) -> None:
        """Let the command go on; what the engine says is that, or nothing more at all."""
        try:
            receive(control)
        except (EOFError, ConnectionError):
            sys.exit()
        self._zero = time.monotonic()
        if not self._request["keep"]:
            self._input.close()

    def _register_outputs(self, poller: select.poll) -> None:
        for output in self._outputs:
            poller.register(output.fd, select.POLLIN)

    def _poller(self, pidfd: int, control_fd: int) -> select.poll:
        poller = select.poll()
        for fd in (pidfd, control_fd):
            poller.register(fd, select.POLLIN)
        if self._input.fd >= 0 and not self._request["hold"]:
            poller.register(self._input.fd, select.POLLOUT)
        if self._supervisor is not None:
            poller.register(self._supervisor.fd, select.POLLIN)
        return poller

    def _carry(self, events: dict[int, int], poller: select.poll) -> None:
        for stream in (*self._outputs, self._input):
            if stream.fd in events and not stream.carry():
                poller.unregister(stream.fd)
                stream.close()
        if self._supervisor is not None and (event := events.get(self._supervisor.fd, 0)):
            if event & select.POLLIN:
                self._supervisor.serve()
            else:  # none is left who could ask
                poller.unregister(self._supervisor.fd)

    def _wait(self, pids: Iterable[int], seconds: float) -> None:
        """Wait until one of `pids` ends or `seconds` have passed; the calls of what is left are answered meanwhile."""
        listener = self._supervisor.fd if self._supervisor is not None else -1
        if descendants.await_end(pids, seconds, listener) and self._supervisor is not None:
            self._supervisor.serve()

    def _until_next_event(self) -> float:
        """Send the signals that are due; return the seconds to the next, or to the deadline, 0 after it."""
        elapsed = time.monotonic() - self._start
        signals = self._request["signals"] if self._zero is not None else []
        late = (self._zero or self._start) - self._start
        while signals and signals[0][0] + late <= elapsed:
            os.kill(self.pid, signals.pop(0)[1])
        deadline = self._request["deadline"]
        return max(0.0, min([deadline, *(due + late for due, _ in signals)]) - elapsed) if elapsed < deadline else 0.0

    def _status(self, *, timed_out: bool) -> int | None:
        """Collect the helper; none where even SIGKILL does not end it."""
        if timed_out:
            descendants.kill(self.pid)
            descendants.await_end([self.pid], _REAP_SECONDS)
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        return status if pid else None
