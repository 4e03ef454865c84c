# SPDX-License-Identifier: MIT
"""A shell that stays: it runs one command after another as the launch user, in no sandbox, where the launcher lives.

To start a process costs several times what the probes of a control do. A control therefore runs in a subshell of one
shell that has read the probe's own script: the same program, user, mount namespace and limits, and nothing kept.
"""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import select
import time
from collections.abc import Mapping
from typing import Final

from boxproof.grounds.launched import Launch

_CHUNK: Final = 1 << 16


class Resident:
    """The engine's ends of the pipes to such a shell.

    Args:
        pid: its process.
        stdin: what it reads commands from.
        stdout: what it answers on; stderr is ``/dev/null``.
        script: what it reads first.
        env: what it was started with.
    """

    def __init__(self, pid: int, stdin: int, stdout: int, script: str, env: Mapping[str, str]) -> None:
        self.env = dict(env)
        self._stdin, self._stdout = stdin, stdout
        self._process = os.pidfd_open(pid)
        with contextlib.suppress(BrokenPipeError):  # it has ended; `runs` will say so
            self._say(script)

    @property
    def runs(self) -> bool:
        """Whether it is there: a helper that runs as the same user may have killed it."""
        return not _ready(self._process, 0)

    def run(self, command: str, seconds: float) -> Launch:
        """Have it run a command to its end.

        Args:
            command: in POSIX sh; leaves the shell itself as it was.
            seconds: after which nothing more is read; the shell is of no use then.
        """
        start = time.monotonic()
        mark = f"r{secrets.token_hex(8)}"
        said, status = b"", None
        with contextlib.suppress(BrokenPipeError):
            self._say(f"{command}\necho {mark} $?\n")
            said, status = self._hear(mark.encode(), start + seconds)
        return Launch(
            status=status,
            signal=None,
            seconds=time.monotonic() - start,
            timed_out=status is None and time.monotonic() >= start + seconds,
            stdout=said,
            stderr=b"",
            dropped=0,
            left=(),
            exec_error="" if status is not None else "the shell that stays has ended or does not answer",
        )

    def close(self) -> None:
        """Give the pipes up; the shell ends where it still can."""
        for fd in (self._stdin, self._stdout, self._process):
            os.close(fd)

    def _say(self, text: str) -> None:
        rest = memoryview(os.fsencode(text))
        while rest:
            rest = rest[os.write(self._stdin, rest) :]

    def _hear(self, mark: bytes, limit: float) -> tuple[bytes, int | None]:
        """Read up to the line that begins with `mark`; return what is before it, and the status in it."""
        said = bytearray()
        while True:
            chunk = os.read(self._stdout, _CHUNK) if _ready(self._stdout, limit - time.monotonic()) else b""
            said += chunk
            before, found, status = said.rpartition(mark + b" ") if chunk.endswith(b"\n") else (said, b"", b"")
            if found:
                return bytes(before), int(status)
            if not chunk:
                return bytes(said), None


def _ready(fd: int, seconds: float) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(max(0, math.ceil(seconds * 1000))))
