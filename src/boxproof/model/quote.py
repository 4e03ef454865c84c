# SPDX-License-Identifier: MIT
"""What a helper has written, fit to be shown: it must neither drive a terminal nor fill a page."""

from __future__ import annotations

from typing import Final

WIDTH: Final = 300
"""Characters of one line that are shown."""


def quoted_lines(output: bytes) -> list[str]:
    r"""Return the lines of a helper's output, blank ones left out.

    Whatever is not printable becomes ``\xNN``, ``\uNNNN`` or ``\UNNNNNNNN``, and a long line is cut.
    """
    lines = output.decode("utf-8", "backslashreplace").split("\n")
    return [cut("".join(map(_shown, line)).strip()) for line in lines if line.strip()]


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    if character == "\t":
        return " "
    return character.encode("unicode_escape").decode("ascii")


def cut(line: str, width: int = WIDTH) -> str:
    """Return the beginning of a line that is too long."""
    return line if len(line) <= width else f"{line[:width]}..."
