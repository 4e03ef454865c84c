# SPDX-License-Identifier: MIT
"""One question to a binary that may be anything: it answers soon and briefly, or it is ended with all its children."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import frozen

from boxproof.errors import HelperError

SECONDS: Final = 10.0
BYTES: Final = 64 * 1024
_CHUNK: Final = 16 * 1024


class NoAnswerError(HelperError):
    """A binary could not be started, did not end, or said too much: no other question is worth asking.

    Causes: a script whose interpreter is missing, a server, a game. Next step: try it by hand.
    """


@frozen
class Answer:
    """What a binary said.

    Args:
        status: its exit status, negative for a signal.
        text: stdout and stderr together, undecodable bytes replaced.
    """

    status: int
    text: str


def ask(binary: Path, arguments: Sequence[str], env: Mapping[str, str], argv0: str = "") -> Answer:
    """Run `binary` with `arguments` in an empty home and return its answer.

    Raises:
        NoAnswerError: where it cannot be started, takes longer than `SECONDS`, or says more than `BYTES`.
    """
    with tempfile.TemporaryDirectory(prefix="boxproof-ask-") as home:
        try:
            process = subprocess.Popen(
                [argv0 or str(binary), *arguments],
                executable=binary,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd="/",
                env={"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": home, "TMPDIR": home, **env},
                start_new_session=True,
            )
        except OSError as error:
            raise _cannot_start(binary, error) from error
        try:
            return _listen(process, binary, arguments)
        finally:
            _end(process)


def _listen(process: subprocess.Popen[bytes], binary: Path, arguments: Sequence[str]) -> Answer:
    """Read until the end of file; a child that keeps the pipe open counts as not ending."""
    question = f"'{binary} {' '.join(arguments)}'"
    deadline = time.monotonic() + SECONDS
    said = bytearray()
    with process.stdout or open(os.devnull, "rb") as pipe, selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while selector.select(max(0.0, deadline - time.monotonic())):
            chunk = os.read(pipe.fileno(), _CHUNK)
            said += chunk
            if len(said) > BYTES:
                raise NoAnswerError(f"{question} printed more than {BYTES // 1024} KiB", cure=_CURE)
            if not chunk:
                return Answer(_status(process, question, deadline), said.decode("utf-8", "replace"))
    raise NoAnswerError(f"{question} did not end within {SECONDS:.0f} s", cure=_CURE)


def _status(process: subprocess.Popen[bytes], question: str, deadline: float) -> int:
    try:
        return process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise NoAnswerError(f"{question} did not end within {SECONDS:.0f} s", cure=_CURE) from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group; it may still hold children of a leader that is gone."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.wait()


def _cannot_start(binary: Path, error: OSError) -> NoAnswerError:
    return NoAnswerError(f"'{binary}' cannot be started", cause=os.strerror(error.errno or 0), cure=_CURE)


_CURE: Final = "try it by hand, or name another file with --helper"
