# SPDX-License-Identifier: MIT
"""What bwrap reports through --json-status-fd: JSON objects, one a line, which arrive in pieces.

Only these tell bwrap's own failure from a command that ended with the same status.
"""

from __future__ import annotations

import json
import os


class Records:
    """The records read so far from a non-blocking descriptor.

    Attributes:
        init: process id of the sandbox's first process, or 0.
        exit_code: status of the command, or None as long as it has not run to its end.
    """

    __slots__ = ("_closed", "_descriptor", "_text", "exit_code", "init")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._text = b""
        self._closed = False
        self.init = 0
        self.exit_code: int | None = None

    def descriptors(self) -> list[int]:
        """The descriptor to wait for, while more can come."""
        return [] if self._closed else [self._descriptor]

    def read(self) -> None:
        """Take everything that is there."""
        while not self._closed:
            try:
                piece = os.read(self._descriptor, 4096)
            except BlockingIOError:
                return
            self._closed = not piece
            self._text += piece
            *lines, self._text = self._text.split(b"\n")
            for line in lines:
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            record = json.loads(line)
        except ValueError:
            return
        if isinstance(record, dict):
            self.init = _number(record.get("child-pid"), self.init) or 0
            self.exit_code = _number(record.get("exit-code"), self.exit_code)


def _number(value: object, otherwise: int | None) -> int | None:
    return value if isinstance(value, int) else otherwise
