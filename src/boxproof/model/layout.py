# SPDX-License-Identifier: MIT
"""A distribution's layout: which names, kinds and link texts its root has, and how each is known.

A layout is data in ``containers/layouts/NAME.toml``. It makes the ground ``layout:NAME``, the cases about certificate
paths, the audit of images, and the page ``docs/reference/layouts.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from attrs import frozen

from boxproof.errors import NotationError
from boxproof.model.document import read_document
from boxproof.model.row import Row, check_place, parse_rows
from boxproof.model.table import Table

Known: TypeAlias = Literal["run", "read", "reported", "memory"]

KNOWN: Final[tuple[Known, ...]] = get_args(Known)
"""Seen on the real package, read in its source, told by a public report, or from memory; the last is to be checked."""
FORMAT: Final = 1
_KEYS: Final = ("format", "name", "title", "unverified", "bundle", "part")
_PART_KEYS: Final = ("about", "evidence", "source", "date", "rows")
_NAME: Final = re.compile(r"[a-z0-9.]+(-[a-z0-9.]+)*")


@frozen
class Part:
    """Rows of one origin.

    Args:
        about: a heading.
        evidence: how they are known.
        source: where they were seen.
        date: when.
    """

    about: str
    evidence: Known
    source: str
    date: date
    rows: tuple[Row, ...]


@frozen
class Layout:
    """What one distribution has at absolute paths.

    Args:
        name: as ``layout:NAME`` takes it.
        title: the distribution, and the package versions that the rows are of.
        bundle: path of the file that holds the certificates.
        parts: the rows by their origin.
        unverified: what of it is not to be relied on, or ``""``.
    """

    name: str
    title: str
    bundle: str
    parts: tuple[Part, ...]
    unverified: str = ""

    @property
    def shown(self) -> str:
        """The name under which it is shown: a layout is never called as the distribution itself."""
        return f"{self.name}-layout"

    @property
    def rows(self) -> Iterator[Row]:
        """All rows, those of folders before what lies in them."""
        return iter(self.by_path.values())

    @cached_property
    def by_path(self) -> Mapping[str, Row]:
        """All rows by their path, sorted."""
        rows = {row.path: row for part in self.parts for row in part.rows}
        return MappingProxyType(dict(sorted(rows.items())))


def load_layout(text: str, name: str) -> Layout:
    """Read a layout.

    Args:
        text: the file, decoded with ``surrogateescape``.
        name: the file's name, for messages; the layout's own with ``.toml`` after it.

    Raises:
        NotationError: beginning ``NAME:LINE:`` and naming the key, for anything that is no layout.
    """
    document = read_document(text, name)
    table = Table(document, document.values)
    table.format(FORMAT)
    table.close(_KEYS)
    layout = Layout(
        name=table.text("name"),
        title=table.text("title"),
        bundle=table.text("bundle"),
        parts=tuple(map(_part, table.tables("part", needed=True))),
        unverified=table.text("unverified", ""),
    )
    _check(layout, table)
    return layout


def _part(table: Table) -> Part:
    table.close(_PART_KEYS)
    return Part(
        about=table.text("about"),
        evidence=table.word("evidence", KNOWN),
        source=table.text("source"),
        date=_date(table),
        rows=_rows(table),
    )


def _date(table: Table) -> date:
    day = table.day("date")
    if day is None:
        raise table.error("date", "'part.date' is missing", cure="write a day, as date = 2026-11-30")
    return day


def _rows(table: Table) -> tuple[Row, ...]:
    try:
        return parse_rows(table.text("rows"))
    except NotationError as error:
        raise table.counted("rows", error) from None


def _check(layout: Layout, table: Table) -> None:
    if not _NAME.fullmatch(layout.name) or table.document.name != f"{layout.name}.toml":
        raise table.error("name", f"'name' is '{layout.name}' in the file '{table.document.name}'")
    before: dict[str, Row] = {}
    for row in sorted((row for part in layout.parts for row in part.rows), key=lambda row: row.path):
        try:
            check_place(row, before)
        except NotationError as error:
            raise table.wrapped("part", error) from None
        before[row.path] = row
    bundle = layout.by_path.get(layout.bundle)
    if bundle is None or bundle.kind != "file":
        raise table.error("bundle", f"'bundle' is '{layout.bundle}', which no row says to be a file")
