# SPDX-License-Identifier: MIT
"""A run as tables of requirements and helpers, one table for each evidence, since those are never added up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from attrs import frozen

from boxproof.model.case import LEVELS, Level
from boxproof.model.outcome import SECURITY, Verdict
from boxproof.model.result import EVIDENCE, Evidence, Result
from boxproof.report.json import Report

LETTERS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {
        Verdict.NOT_SELECTED: ".",
        Verdict.NOT_APPLICABLE: "-",
        Verdict.PASS: "P",
        Verdict.EXPECTED_FAIL: "x",
        Verdict.FLAKY: "~",
        Verdict.FAIL: "F",
        Verdict.UNEXPECTED_PASS: "!",
        Verdict.ERROR: "E",
    }
)
"""What tells verdicts apart in print and without colour."""
WRONG: Final = frozenset({Verdict.EXPECTED_FAIL, Verdict.FLAKY, Verdict.FAIL, Verdict.UNEXPECTED_PASS, Verdict.ERROR})
"""Verdicts that there is something to read about."""
_KEY: Final = 60
"""Characters of a column's name in an address."""
MEANS: Final[Mapping[Evidence, str]] = MappingProxyType(
    {
        "host": "seen on this machine",
        "image": "seen in a distribution's image",
        "layout": "seen in a replica of a distribution's names and links, on this machine's kernel; no distribution",
    }
)


@frozen
class Column:
    """One helper in one place."""

    helper: str
    ground: str
    evidence: Evidence


@frozen
class Cell:
    """What came of one requirement in one column.

    Args:
        key: fit for the fragment of an address, and no other cell's.
        results: at least one.
    """

    key: str
    column: Column
    requirement: str
    results: tuple[Result, ...]

    @property
    def verdict(self) -> Verdict:
        """The highest of the results'."""
        return max((result.verdict for result in self.results), key=lambda verdict: verdict.rank)

    @property
    def letter(self) -> str:
        """Return the verdict's."""
        return LETTERS[self.verdict]

    @property
    def number(self) -> int:
        """How many results have the cell's verdict."""
        return sum(result.verdict is self.verdict for result in self.results)

    @property
    def level(self) -> Level:
        """The most binding of those that have the cell's verdict."""
        return min((row.level for row in self.results if row.verdict is self.verdict), key=LEVELS.index)

    @property
    def wrong(self) -> tuple[Result, ...]:
        """The results that there is something to read about, the most binding first."""
        rows = [result for result in self.results if result.verdict in WRONG]
        return tuple(sorted(rows, key=lambda row: (LEVELS.index(row.level), -row.verdict.rank, row.id)))

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts that occur."""
        return tuple(dict.fromkeys(result.verdict.value for result in self.results))

    @property
    def words(self) -> str:
        """Return the counts in words."""
        return counts(self.results)


@frozen
class Table:
    """All results of one evidence; `rows` are the cells of each requirement, ``None`` where nothing was run."""

    evidence: Evidence
    columns: tuple[Column, ...]
    rows: Mapping[str, tuple[Cell | None, ...]]

    @property
    def grounds(self) -> int:
        """How many places there are."""
        return len({column.ground for column in self.columns})


def tables(report: Report, order: Iterable[str] = ()) -> tuple[Table, ...]:
    """Return a table for each evidence, the strongest first.

    Args:
        report: the run.
        order: of the requirements; those that are not in it come last.
    """
    own = {each: [row for row in report.results if row.evidence == each] for each in EVIDENCE}
    order = list(order)
    return tuple(_table(evidence, rows, order) for evidence, rows in own.items() if rows)


def counts(results: Sequence[Result]) -> str:
    """Return how many results have each verdict."""
    verdicts = Counter(result.verdict for result in results)
    words = [f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict]]
    refused = sum(result.launch == "refused" and result.verdict is Verdict.PASS for result in results)
    return ", ".join(words) + (f" ({refused} by an allowed refusal)" if refused else "")


def kinds(result: Result) -> tuple[str, ...]:
    """Return the kinds of a result's findings and known bugs, each once."""
    found = [finding.kind for finding in result.findings] + [kind for bug in result.bugs for kind in bug.kinds]
    return tuple(dict.fromkeys(found))


def is_security(result: Result) -> bool:
    """Tell whether a result is to be reported to the vendor in private first."""
    return not SECURITY.isdisjoint(kinds(result))


def gist(result: Result) -> str:
    """Return what is wrong in one sentence: the first finding, or the reason."""
    for finding in result.findings[:1]:
        more = f" (and {len(result.findings) - 1} more)" if len(result.findings) > 1 else ""
        return f"{finding.kind}: expected: {finding.expected}; seen: {finding.seen}{more}"
    return result.reason


def _table(evidence: Evidence, results: Sequence[Result], order: Sequence[str]) -> Table:
    columns = tuple(dict.fromkeys(Column(row.helper, row.ground, evidence) for row in results))
    found: dict[tuple[str, Column], list[Result]] = {}
    for row in results:
        found.setdefault((row.requirement, Column(row.helper, row.ground, evidence)), []).append(row)
    names = sorted({row.requirement for row in results}, key=lambda name: _place(name, order))
    keys = _keys(columns)
    return Table(
        evidence,
        columns,
        {
            name: tuple(
                Cell(f"{name}-{keys[column]}", column, name, tuple(rows))
                if (rows := found.get((name, column)))
                else None
                for column in columns
            )
            for name in names
        },
    )


def _place(name: str, order: Sequence[str]) -> tuple[int, str, int]:
    area, _, number = name.partition("-")
    return order.index(name) if name in order else len(order), area, int(number)


def _keys(columns: Iterable[Column]) -> dict[Column, str]:
    """Return a name for each column, fit for an address: the number tells those apart that come to the same."""
    return {column: _key(column, number) for number, column in enumerate(columns, start=1)}


def _key(column: Column, number: int) -> str:
    plain = re.sub(r"[^a-z0-9.]+", "-", f"{column.helper} {column.ground}".lower())
    return f"{column.evidence}-{number}-{plain[:_KEY]}".rstrip("-")
