# SPDX-License-Identifier: MIT
"""A report as one HTML file: no network, no other file, readable without its script and in print."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources import files
from itertools import count
from typing import Final

from attrs import field, frozen
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from boxproof.model.case import LEVELS, Level
from boxproof.model.outcome import Verdict
from boxproof.model.requirement import Requirement
from boxproof.model.result import Result
from boxproof.report.exhibit import Exhibit, Source, exhibits, source
from boxproof.report.failure import PRIVATE
from boxproof.report.json import Report
from boxproof.report.matrix import LETTERS, MEANS, WRONG, Cell, Table, gist, is_security, tables
from boxproof.report.visible import visible

BODIES: Final = 1000
"""Rows of one page that are shown in full: a page of more could not be read, nor loaded."""
CELL_BODIES: Final = 25
"""Rows of one requirement under one helper that are shown in full."""
NAMES: Final = 100
"""Cases of one requirement under one helper that are named although there is nothing to say of them."""


@frozen
class Entry:
    """One row that there is something to read about; `exhibits` is empty where it is told in short."""

    key: str
    result: Result
    exhibits: tuple[Exhibit, ...]

    @property
    def security(self) -> str:
        """The advice to report it in private, where that is due."""
        return PRIVATE if is_security(self.result) else ""


@frozen
class Group:
    """One cell of a table, with all its rows.

    Args:
        cell: of the table.
        entries: those that there is something to read about.
        others: names of the others, by verdict.
        more: how many more of those there are.
    """

    cell: Cell
    entries: tuple[Entry, ...]
    others: Mapping[Verdict, tuple[str, ...]]
    more: Mapping[Verdict, int]


@frozen(slots=False)
class Page:
    """What the template shows.

    Args:
        report: the run.
        contract: the requirements by id.
    """

    report: Report
    contract: Mapping[str, Requirement]
    _numbers: Iterator[int] = field(factory=lambda: count(1))

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """A table for each evidence."""
        return tables(self.report, self.contract)

    @cached_property
    def requirements(self) -> Mapping[str, tuple[Group, ...]]:
        """The cells of all tables by requirement, in the order of the contract."""
        found: dict[str, list[Group]] = {name: [] for name in self.contract}
        left = BODIES
        for table in self.tables:
            for name, cells in table.rows.items():
                for cell in filter(None, cells):
                    group = self._group(cell, min(left, CELL_BODIES))
                    left -= sum(bool(entry.exhibits) for entry in group.entries)
                    found.setdefault(name, []).append(group)
        return {name: tuple(groups) for name, groups in found.items() if groups}

    @cached_property
    def helpers(self) -> tuple[str, ...]:
        """The helpers that have results, in the report's order."""
        return tuple(dict.fromkeys(column.helper for table in self.tables for column in table.columns))

    @cached_property
    def verdicts(self) -> frozenset[str]:
        """Those that occur."""
        return frozenset(result.verdict.value for result in self.report.results)

    def level(self, name: str) -> Level:
        """Return a requirement's level, or the most binding of its results where the contract does not have it."""
        if name in self.contract:
            return self.contract[name].level
        return min((row.level for row in self.report.results if row.requirement == name), key=LEVELS.index)

    def sources(self, requirement: Requirement) -> tuple[Source, ...]:
        """Return the public reports of a requirement."""
        return tuple(map(source, requirement.sources))

    def _group(self, cell: Cell, bodies: int) -> Group:
        wrong = cell.wrong
        others: dict[Verdict, list[str]] = {}
        for result in cell.results:
            if result.verdict not in WRONG:
                others.setdefault(result.verdict, []).append(_named(result))
        return Group(
            cell=cell,
            entries=tuple(
                Entry(f"finding-{next(self._numbers)}", result, tuple(exhibits(result)) if place < bodies else ())
                for place, result in enumerate(wrong)
            ),
            others={verdict: tuple(names[:NAMES]) for verdict, names in others.items()},
            more={verdict: max(0, len(names) - NAMES) for verdict, names in others.items()},
        )


def html(report: Report, contract: Mapping[str, Requirement]) -> str:
    """Return the whole page.

    Args:
        report: the run.
        contract: the requirements by id; one that is missing is shown without its statement.
    """
    style, script = (Markup(_resource(name)) for name in ("report.css", "report.js"))  # noqa: S704 - our own files
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return (
        _environment()
        .get_template("report.html.jinja")
        .render(
            page=Page(report, contract),
            style=style,
            script=script,
            script_hash=f"sha256-{digest}",
            letters=LETTERS,
            means=MEANS,
            Verdict=Verdict,
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("boxproof.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.globals.update(gist=gist)
    return environment


def _shown(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _resource(name: str) -> str:
    return files("boxproof.report").joinpath("templates", name).read_text("utf-8")


def _named(result: Result) -> str:
    refused = ", by an allowed refusal" if result.verdict is Verdict.PASS and result.launch == "refused" else ""
    return f"{result.id}{refused}{': ' if result.reason else ''}{result.reason}"
