# SPDX-License-Identifier: MIT
"""Results as one grid of plain text: requirements down, helpers across, each evidence in a row of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from boxproof.model.result import Result
from boxproof.report.matrix import LETTERS, Cell, Column

_WIDTH: Final = 8


def grid(results: Sequence[Result], order: Sequence[str]) -> Iterator[str]:
    """Iterate over the lines.

    A cell is the letter of the highest verdict, how many results have it, and of how many; columns are numbered in the
    order in which their helpers come.

    Args:
        results: of any number of helpers.
        order: of the requirements.
    """
    helpers = list(dict.fromkeys(result.helper for result in results))
    found: dict[tuple[str, str], dict[str, list[Result]]] = {}
    for result in results:
        found.setdefault((result.requirement, result.evidence), {}).setdefault(result.helper, []).append(result)
    rows = sorted(found, key=lambda row: (order.index(row[0]), row[1]))
    yield " " * 15 + "".join(f"{number:>{_WIDTH}}" for number in range(1, len(helpers) + 1))
    for requirement, evidence in rows:
        cells = (_cell(found[requirement, evidence].get(helper, [])) for helper in helpers)
        yield f"{requirement:<8}{evidence:<7}" + "".join(f"{cell:>{_WIDTH}}" for cell in cells)
    yield ", ".join(f"{letter} {verdict.value}" for verdict, letter in LETTERS.items())


def _cell(results: Sequence[Result]) -> str:
    if not results:
        return ""
    first = results[0]
    cell = Cell("", Column(first.helper, first.ground, first.evidence), first.requirement, tuple(results))
    return f"{cell.letter}{cell.number}/{len(results)}"
