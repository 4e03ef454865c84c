# SPDX-License-Identifier: MIT
"""The one way in which this helper says no: a line on stderr and one exit status."""

from __future__ import annotations

REFUSED = 125
"""Exit status of every refusal, from a run and from ``--check`` alike; ``env`` and ``timeout`` use it like this too."""

LONGEST = 200
"""Bytes of a path that a message shows; a policy may hold far longer ones."""

PRINTABLE = frozenset(range(0x20, 0x7F)) - {ord("\\")}


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not an error of the program
    """The command will not be run.

    Arguments are the refused thing, the reason, and what the user can do about it. `status` is the exit status:
    125, or 127 and 126 for a command that is missing or cannot be executed.
    """

    def __init__(self, what: str, why: str, advice: str, status: int = REFUSED) -> None:
        super().__init__(what, why, advice)
        self.what = what
        self.why = why
        self.advice = advice
        self.status = status

    def line(self) -> str:
        """The refusal as one line, without its line feed."""
        return f"boxproof-reference: refused: {self.what} ({self.why}); {self.advice}"


def shown(path: bytes) -> str:
    r"""A path as printable ASCII on one line: every other byte appears as ``\xNN``, and a very long one is cut."""
    text = "".join(chr(byte) if byte in PRINTABLE else f"\\x{byte:02x}" for byte in path[:LONGEST])
    return text if len(path) <= LONGEST else text + "..."
