# SPDX-License-Identifier: MIT
"""The launcher's process and the socket to it, as the engine holds them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import boxproof
from boxproof.grounds import wire
from boxproof.grounds.descendants import await_end
from boxproof.grounds.spawner import BOOT
from boxproof.grounds.wire import JSON

CLOSE_SECONDS: Final = 10.0
"""What the launcher is given to end by itself, killing its descendants."""


class Connection:
    """A launcher that was started; in a session of its own, so that a terminal's signals reach the engine only.

    Args:
        folder: what the launcher is to remove should this process be killed, or ``""``.

    Raises:
        OSError: where the interpreter cannot be executed.
    """

    def __init__(self, folder: str = "") -> None:
        self._control, theirs = socket.socketpair()
        self._stderr = os.memfd_create("launcher-stderr")
        try:
            self._process = _start(theirs, self._stderr, folder)
        except BaseException:
            self._control.close()
            os.close(self._stderr)
            raise
        finally:
            theirs.close()
        self.pid = self._process.pid

    def send(self, request: JSON, body: bytes = b"") -> None:
        """Send one request.

        Raises:
            OSError: where the launcher has gone.
        """
        wire.send(self._control, request, body)

    def receive(self, seconds: float) -> tuple[JSON, bytes]:
        """Receive one reply.

        Raises:
            EOFError: where the launcher has gone.
            OSError: likewise, or where nothing comes for so many seconds.
        """
        self._control.settimeout(seconds)
        return wire.receive(self._control)

    def hire(self, request: JSON, seconds: float) -> tuple[int, int, int]:
        """Ask for a process that stays; return its number, and the ends of the pipes to and from it.

        Raises:
            EOFError: as `receive`.
            OSError: as `receive`, or where the launcher cannot start it.
        """
        self.send(request)
        self._control.settimeout(seconds)
        reply, fds = wire.receive_fds(self._control, 2)
        if reply["error"]:
            raise OSError(reply["error"])
        stdin, stdout = fds
        return reply["started"], stdin, stdout

    def end(self, tidy: Callable[[], object] = lambda: None, patience: float = CLOSE_SECONDS) -> str:
        """Close the socket, wait `patience` seconds, then kill; return what was wrong with the end, or ``""``.

        Args:
            tidy: ends what a killed launcher leaves. One that is traced cannot be waited for before its tracer has
                ended (ptrace(2)).
            patience: seconds.
        """
        self._control.close()
        await_end([self.pid], patience)
        if self._process.poll() is None:
            self._process.kill()
            tidy()
        status = self._process.wait()
        said = os.pread(self._stderr, 1 << 16, 0).decode(errors="backslashreplace").splitlines()
        os.close(self._stderr)
        if status < 0:
            return f"ended by {signal.Signals(-status).name}"
        return "".join(said[-1:]) or f"ended with {status}" if status else ""


def _start(control: socket.socket, stderr: int, folder: str) -> subprocess.Popen[bytes]:
    package = Path(boxproof.__file__).parent
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-c", BOOT, str(package.parent), str(control.fileno()), folder],
        pass_fds=[control.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        start_new_session=True,
    )
