# SPDX-License-Identifier: MIT
"""The engine's client with a container's first process at the other end, and the lines that it says."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_CHUNK: Final = 1 << 16
_SAID: Final = 400
_END_SECONDS: Final = 10.0
FIFOS: Final = ("keep", "in", "out", "err")
"""Beside them ``launch`` is written anew for each launch, and ``serve.sh`` and ``keep.sh`` lie there."""


class Talk:
    """A container that was started; a session of its own keeps a terminal's signals from the client.

    Args:
        command: what starts it, attached.
        control: a folder that the container sees at the same path, with `FIFOS` in it.

    Raises:
        OSError: where the client cannot be executed.
    """

    def __init__(self, command: Sequence[str], control: Path) -> None:
        self._lines: deque[str] = deque()
        self._rest = b""
        # opened for both ends, so that the other end finds a writer, and loses it when this process ends
        self._keep = os.open(control / "keep", os.O_RDWR | os.O_CLOEXEC)
        self._stderr = os.memfd_create("engine-stderr")
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,
                cwd="/",
                bufsize=0,
            )
        except BaseException:
            os.close(self._keep)
            os.close(self._stderr)
            raise
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._orders, self._said = self._process.stdin.fileno(), self._process.stdout.fileno()

    def fileno(self) -> int:
        """Return the descriptor that `poll` finds readable when there is something to `read`."""
        return self._said

    def order(self, line: str) -> None:
        """Tell the first process.

        Raises:
            OSError: where the container has gone.
        """
        os.write(self._orders, f"{line}\n".encode())

    def keep(self, line: str) -> None:
        """Tell the process that keeps watch."""
        os.write(self._keep, f"{line}\n".encode())

    def read(self) -> None:
        """Take what has come.

        Raises:
            EOFError: where the container has gone.
        """
        chunk = os.read(self._said, _CHUNK)
        if not chunk:
            raise EOFError
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._lines += [line.decode("utf-8", "backslashreplace") for line in lines]

    def next(self) -> str:
        """Return the next whole line that was read, ``""`` where there is none."""
        return self._lines.popleft() if self._lines else ""

    def wait_for(self, word: str, seconds: float) -> list[str]:
        """Return the lines up to the first that begins with `word`, that one last.

        Raises:
            EOFError: where the container has gone.
            TimeoutError: where it does not come in time.
        """
        found: list[str] = []
        limit = time.monotonic() + seconds
        while not found or found[-1].partition(" ")[0] != word:
            line = self.next()
            if line:
                found.append(line)
            elif (left := limit - time.monotonic()) > 0 and select.select([self], [], [], left)[0]:
                self.read()
            elif left <= 0:
                raise TimeoutError(f"no '{word}' within {seconds:.0f} s")
        return found

    def end(self, patience: float = _END_SECONDS) -> str:
        """Close the pipes, with which the container ends; return what the engine said of it.

        Raises:
            TimeoutError: where the client does not end by itself; it was killed, the container may be there still.
        """
        os.close(self._keep)
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise TimeoutError("the container does not end") from None
        finally:
            said = os.pread(self._stderr, _CHUNK, 0).decode(errors="backslashreplace")
            self._process.stdout.close()  # type: ignore[union-attr]
            os.close(self._stderr)
        return " ".join(said.split())[-_SAID:]
