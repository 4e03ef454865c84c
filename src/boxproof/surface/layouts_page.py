# SPDX-License-Identifier: MIT
"""The layouts in words: the page ``docs/reference/layouts.md``, and the lines of ``boxproof list layouts``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from boxproof.model.layout import Layout, Part
from boxproof.model.row import Row

_HEAD: Final = """\
# Layouts

What each distribution has at the paths that sandbox helpers stumble over. The data is in `containers/layouts/*.toml`;
this page is made from it by `boxproof list layouts --markdown`.

A layout is a ground: `pytest --ground=layout:el9` lays its rows over this host's root at the real paths, in a mount
namespace that ends with the run, as root or in a user namespace. It shows names, kinds and link texts; it shows no
kernel, no package and no security module of the distribution, so it is called `el9-layout`, and its results are
counted apart as evidence `layout`. A row that would take away programs of this host is not laid, and the report says
so under `grounds`.

How a row is known:

| word | meaning |
| --- | --- |
| `run` | seen on the real package |
| `read` | read in the package's source, or its list of files |
| `reported` | stated in a public report |
| `memory` | written down from memory: to be checked |

`absent` is a name that is known not to be there, `unknown` one that nobody has looked at; that one is never laid.

| layout | replica of | rows | from memory | unknown |
| --- | --- | --- | --- | --- |
"""


def page(layouts: Sequence[Layout]) -> str:
    """Return the whole page."""
    lines = [*_HEAD.splitlines(), *map(_summary, layouts), ""]
    for layout in layouts:
        lines += _section(layout)
    return "\n".join(lines)


def lines(layouts: Iterable[Layout]) -> Iterator[str]:
    """Iterate over one line for each layout."""
    for layout in layouts:
        unverified = "; unverified" if layout.unverified else ""
        yield f"{layout.name:<20} {layout.title} ({len(layout.by_path)} rows{unverified})"


def _summary(layout: Layout) -> str:
    unknown = sum(row.kind == "unknown" for row in layout.rows)
    memory = sum(len(part.rows) for part in layout.parts if part.evidence == "memory") - unknown
    name = f"[{layout.name}](#{layout.name.replace('.', '')})"
    title = f"{layout.title} (unverified)" if layout.unverified else layout.title
    return f"| {name} | {title} | {len(layout.by_path)} | {memory} | {unknown} |"


def _section(layout: Layout) -> Iterator[str]:
    yield from (f"## {layout.name}", "", f"{layout.title}. The certificates are in `{layout.bundle}`.")
    if layout.unverified:
        yield f"**Unverified**: {layout.unverified}."
    yield ""
    for part in layout.parts:
        yield from _part(part)


def _part(part: Part) -> Iterator[str]:
    about = part.about[:1].upper() + part.about[1:]
    yield from (f"{about}: `{part.evidence}`, {part.date}; {part.source}.", "")
    yield from ("| path | what is there |", "| --- | --- |", *map(_row, part.rows), "")


def _row(row: Row) -> str:
    what = f"`-> {row.text}`" if row.kind == "link" else row.kind
    mode = f", mode {row.mode:04o}" if row.mode is not None else ""
    return f"| `{row.path}` | {what}{mode} |"
