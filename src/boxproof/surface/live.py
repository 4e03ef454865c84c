# SPDX-License-Identifier: MIT
"""A tail of pytest's line of dots that says what is under way, on a terminal alone.

It stands after the last dot, the cursor goes back, and it is erased before the next dot is written: pytest's own
output, and what it believes to be the cursor's place, stay as they are. With xdist the controller does the same.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Final, TextIO

import pytest
from attrs import define, field

_END: Final = 8
"""Columns that pytest fills at the end of a line, such as `` [ 42%]``."""
_LEAST: Final = 24
"""Columns below which a tail says nothing."""
_DIM: Final = "\x1b[2m{}\x1b[22m"
_ERASE: Final = "\x1b[K"


@define(eq=False)
class Live:
    """The tail, registered as a plugin of its own.

    Args:
        config: pytest's.
        stream: the terminal.
    """

    config: pytest.Config
    stream: TextIO
    _start: float = field(factory=time.monotonic)
    _case: str = ""
    _launches: int = 0
    _findings: int = 0

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Say which case is run."""
        self._case = nodeid.rpartition("::")[2]
        self._show()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Any:  # noqa: ANN401 - pytest's hooks are untyped
        """Make room for pytest's dot, and stand after it."""
        self._write(_ERASE)
        row: dict[str, Any] = getattr(report, "boxproof", None) or {}
        self._launches += row.get("launches", 0)
        self._findings += len(row.get("findings", ()))
        outcome = yield
        self._show()
        return outcome

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logfinish(self) -> Any:  # noqa: ANN401
        """Make room for what pytest writes at the end of a line."""
        self._write(_ERASE)
        return (yield)

    def _show(self) -> None:
        writer = self.config.get_terminal_writer()
        text = tail(
            self._case,
            self._launches / max(time.monotonic() - self._start, 0.1),
            self._findings,
            writer.fullwidth - writer.width_of_current_line - _END,
        )
        writer.flush()
        self._write(_ERASE + (f"{_DIM.format(text)}\x1b[{len(text)}D" if text else ""))

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


def live(config: pytest.Config) -> Live | None:
    """Return the tail, or nothing where the output is no terminal, or more or less than dots."""
    # what pytest captures is not written to this stream, and between tests nothing is captured
    stream = sys.__stdout__
    if stream is None or not stream.isatty() or config.get_verbosity() or hasattr(config, "workerinput"):
        return None
    return Live(config, stream)


def tail(case: str, speed: float, findings: int, width: int) -> str:
    """Return what there is room for: the numbers, and as much of the case's id as fits."""
    numbers = f"  {speed:.1f} launches/s, {findings} {'finding' if findings == 1 else 'findings'}"
    text = f"{numbers}  {case}".encode("ascii", "replace").decode()
    return text[:width] if width >= _LEAST else ""
