# SPDX-License-Identifier: MIT
"""The tables of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from tests.docs.page import CHECKOUT

_WORD: Final = re.compile(r"`([^`]+)`")
_CELLS: Final = re.compile(r"(?<!\\)\|")


def words(page: str, below: str, column: int = 0) -> list[str]:
    """Return what stands as code in one column of a page's first table below a text."""
    _, found, text = (CHECKOUT / page).read_text("utf-8").partition(below)
    assert found, f"{page} has no '{below}'"
    return [word for row in _rows(text) for word in _WORD.findall(_CELLS.split(row)[1 + column].replace("\\|", "|"))]


def _rows(text: str) -> Iterator[str]:
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("| ---"):
            yield from takewhile(lambda row: row.startswith("|"), lines)
            return
