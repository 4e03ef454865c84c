# SPDX-License-Identifier: MIT
"""The recorded cases, and the table that says who fails each: a known-bad helper, a pinned release, or nobody."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from attrs import frozen

from boxproof.known_bad.table import find
from boxproof.model.case import Case
from boxproof.surface.items import read_case

CASES = Path(__file__).resolve().parents[2] / "conformance" / "cases"
TABLE = Path(__file__).with_name("corpus.toml")


@frozen
class Row:
    """One line of the table.

    Args:
        name: of the case, as ``CLASS/ID``.
        by: a known-bad helper, or a pinned release by its key; ``""`` for a control.
        control: why nobody fails the case.
    """

    name: str
    by: str
    control: str = ""

    @property
    def path(self) -> Path:
        """The case file."""
        return CASES / f"{self.name}.toml"

    @property
    def known_bad(self) -> bool:
        """Whether it is failed by a known-bad helper."""
        return find(self.by) is not None


@cache
def rows() -> tuple[Row, ...]:
    """The table, in its own order."""
    return tuple(_rows())


def _rows() -> Iterator[Row]:
    for group, cases in tomllib.loads(TABLE.read_text(encoding="utf-8")).items():
        for case, by in cases.items():
            name = f"{group}/{case}"
            yield Row(name, by) if isinstance(by, str) else Row(name, "", by["control"])


@cache
def recorded() -> dict[str, Case]:
    """All recorded cases by ``CLASS/ID``."""
    paths = sorted(CASES.rglob("*.toml"))
    return {str(path.relative_to(CASES).with_suffix("")): read_case(path) for path in paths}
