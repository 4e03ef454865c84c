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
from typing import Final

from boxproof.grounds import descendants, kernel, namespace
from boxproof.grounds.running import Running
from boxproof.grounds.trees import remove_tree, unmount_below
from boxproof.grounds.wire import JSON, receive, send

BOOT: Final = "import sys; sys.path.append(sys.argv[1]); from boxproof.grounds.spawner import main; main()"
"""What ``python -I -S -c`` is to execute, given the folder of this package, the descriptor of a stream socket, and
a folder to remove should the engine be killed, or ``""``."""


def main() -> None:
    """Serve the engine at the other end of the socket until it goes."""
    control = socket.socket(fileno=int(sys.argv[2]))
    control.set_inheritable(False)
    engine, folder = os.getppid(), sys.argv[3]
    # held from the start: the root may be another one at the end
    around = os.open(os.path.dirname(folder), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC) if folder else -1
    try:
        _prepare()
        with contextlib.suppress(EOFError, ConnectionError):
            while True:
                _serve(control, *receive(control))
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        descendants.end_all()
        # a process that dies closes its files first, and its children get a new parent a little later
        if folder and (os.getppid() != engine or descendants.condition(engine) != "alive"):
            _tidy_up_for_engine(folder, around)


def _prepare() -> None:
    """Set what helpers are to inherit: default signals, umask 022, and no core file, which would lie in the farm."""
    _prepare_signals()
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGTERM)
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
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


def _serve(control: socket.socket, request: JSON, body: bytes) -> None:
    if request["do"] == "launch":
        running = Running(request, body)
        send(control, {"started": running.pid})
        send(control, *running.finish(control))
        return
    try:
        _ACTIONS[request["do"]](request)
    except OSError as error:
        send(control, {"error": error.strerror or str(error)})
    else:
        send(control, {"error": ""})


_ACTIONS: Final[Mapping[str, Callable[[JSON], None]]] = {
    "enter": namespace.enter,
    "join": namespace.join,
    "mount": namespace.mount,
    "unmount": namespace.unmount,
    "ping": lambda _: None,
}
