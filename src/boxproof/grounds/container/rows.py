# SPDX-License-Identifier: MIT
"""What an image has at absolute paths, and how a container of it is given another shape there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from boxproof.grounds.container.script import quoted
from boxproof.model.row import Row, RowKind

LOOK: Final = """for path; do
  echo "$(stat -c %F:%a -- "$path" 2>/dev/null || echo :):$(readlink -- "$path")"
done"""
"""A script that writes one line for each of its arguments: the kind in stat(1)'s words, the mode, and a link's text."""

_KINDS: Final[Mapping[str, RowKind]] = {
    "directory": "folder",
    "regular file": "file",
    "regular empty file": "file",
    "symbolic link": "link",
}


def seen_rows(paths: Sequence[str], said: str) -> Mapping[str, Row]:
    """Return what `LOOK` said of each path as a row; ``unknown`` for what is no kind that rows have."""
    return {path: _row(path, *line.split(":", 2)) for path, line in zip(paths, said.splitlines(), strict=True)}


def differing(rows: Iterable[Row], seen: Mapping[str, Row]) -> list[Row]:
    """Return those of `rows` that are not as they were seen; a mode that a row does not say may be any."""
    return [row for row in rows if not _alike(row, seen[row.path])]


def shaping(rows: Iterable[Row]) -> str:
    """Return a script for root that makes links, or nothing, at the paths of `rows`, which are of those kinds."""
    return "".join(
        f"rm -f -- {quoted(row.path)} || exit\n"
        + (f"ln -s -- {quoted(row.text)} {quoted(row.path)} || exit\n" if row.kind == "link" else "")
        for row in rows
    )


def marking(bundle: str, token: str) -> str:
    """Return a script for root that puts a line with `token` before all others of the file `bundle`, once."""
    path = quoted(bundle)
    return (
        f'first=; read -r first <{path} || :\n[ "$first" = {token} ] || '
        f'{{ rest=$(cat {path}) && printf "%s\\n%s\\n" {token} "$rest" >{path}; }} || exit\n'
    )


def _row(path: str, words: str, mode: str, text: str) -> Row:
    kind = "absent" if not words else _KINDS.get(words, "unknown")
    return Row(path, kind, text, int(mode, 8) if kind in {"folder", "file"} else None)


def _alike(row: Row, seen: Row) -> bool:
    return (row.kind, row.text) == (seen.kind, seen.text) and row.mode in {None, seen.mode}
