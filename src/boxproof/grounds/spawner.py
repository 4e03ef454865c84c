# SPDX-License-Identifier: MIT
"""The launcher: a small process that starts one helper at a time and outlives whatever that helper does.

It is a child subreaper (``PR_SET_CHILD_SUBREAPER``, prctl(2)), so that every descendant of a helper stays below it, and
it ends, with all that it started, when its control socket closes. It and all that it imports need the standard library
only, and Python 3.9, so that any interpreter of the host will do.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Final, NoReturn

from boxproof.grounds import descendants, kernel, namespace
from boxproof.grounds.hiring import hire
from boxproof.grounds.running import Running
from boxproof.grounds.trees import remove_tree, unmount_below
from boxproof.grounds.wire import JSON, receive, send, send_fds

BOOT: Final = "import sys; sys.path.append(sys.argv[1]); from boxproof.grounds.spawner import main; main()"
"""What ``python -I -S -c`` is to execute, given the folder of this package, the descriptor of a stream socket, and
a folder to remove should the engine be killed, or ``""``."""

NAME: Final = "boxproof-launch"
"""What the launcher is called in /proc/PID/comm, and nothing that it executes (proc(5))."""


def main() -> None:
    """Serve the engine at the other end of the socket until it goes."""
    control = socket.socket(fileno=int(sys.argv[2]))
    control.set_inheritable(False)
    engine, folder = os.getppid(), sys.argv[3]
    # held from the start: the root may be another one at the end
    around = os.open(os.path.dirname(folder), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC) if folder else -1
    try:
        _prepare()
        try:
            with contextlib.suppress(EOFError, ConnectionError):
                _Server(control).serve()
        finally:
            # an engine that dies closes its socket, and its SIGTERM may come in the middle of what follows from that
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
    finally:
        descendants.end_all()
        # a process that dies closes its files first, and its children get a new parent a little later
        if folder and (os.getppid() != engine or descendants.condition(engine) != "alive"):
            _tidy_up_for_engine(folder, around)


def _prepare() -> None:
    """Set what helpers are to inherit: default signals, umask 022, and no core file, which would lie in the farm."""
    _prepare_signals()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGTERM)
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    with open("/proc/self/comm", "w", encoding="ascii") as name:  # by which a command can tell that it sees the host's
        name.write(NAME)
    os.umask(0o022)
    os.chdir("/")
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _tidy_up_for_engine(folder: str, around: int) -> None:
    """Remove the folder for farms, which the engine would have removed had it not been killed.

    Args:
        folder: its path.
        around: a descriptor of the folder that holds it, as the host has it.
    """
    unmount_below(folder)
    remove_tree(f"/proc/self/fd/{around}/{os.path.basename(folder)}")


def _prepare_signals() -> None:
    """Undo what the engine's caller, or Python, ignores or blocks; catch what the launcher is not to die of.

    A signal that is caught, unlike one that is ignored, is back to its default in the helper (execve(2)).
    """
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


class _Server:
    """Does what the engine asks for at the other end of `control`."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._resident = 0
        """The process that stays, or that has ended and is no child any more."""

    def serve(self) -> NoReturn:
        """Serve until the engine goes.

        Raises:
            EOFError: or `ConnectionError`, when it has gone.
        """
        while True:
            request, body = receive(self._control)
            if request["do"] == "launch":
                self._launch(request, body)
            elif request["do"] == "stay":
                self._stay(request)
            else:
                send(self._control, {"error": self._error(request)})

    def _launch(self, request: JSON, body: bytes) -> None:
        if request["condition"]:  # some of them count the user's processes
            self._dismiss()
        running = Running(request, body, self._resident)
        send(self._control, {"started": running.pid})
        send(self._control, *running.finish(self._control))

    def _stay(self, request: JSON) -> None:
        self._dismiss()
        self._resident, fds = hire(request)
        send_fds(self._control, {"started": self._resident, "error": ""}, fds)
        for fd in fds:
            os.close(fd)

    def _error(self, request: JSON) -> str:
        try:
            if request["do"] == "dismiss":
                self._dismiss()
            else:
                _ACTIONS[request["do"]](request)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def _dismiss(self) -> None:
        """End the process that stays, with all that it started; no other runs now."""
        self._resident = 0
        descendants.end_all()


_ACTIONS: Final[Mapping[str, Callable[[JSON], None]]] = {
    "enter": namespace.enter,
    "join": namespace.join,
    "mount": namespace.mount,
    "unmount": namespace.unmount,
    "ping": lambda _: None,
}
