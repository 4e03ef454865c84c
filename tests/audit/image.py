# SPDX-License-Identifier: MIT
"""What an image has at one path, asked of a container of it with testinfra."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from boxproof.model.row import Row, RowKind

IMAGES: Final = "BOXPROOF_IMAGES"
"""The variable that names the images to audit, separated by blanks; without it, all of the project's that are here."""
MADE_BY_ENGINES: Final = frozenset({"/etc/mtab", "/etc/resolv.conf", "/etc/hosts", "/etc/hostname"})
"""What a container engine makes or mounts in every container, whatever the image has there."""

_LOOK: Final = 'echo "$(stat -c %%F:%%a -- "$path" 2>/dev/null || echo :):$(readlink -- "$path")"'
"""One line for a path: its kind in stat(1)'s words, its mode, and the text of a link, which readlink(1) gives raw."""

_KINDS: Final[dict[str, RowKind]] = {
    "directory": "folder",
    "regular file": "file",
    "regular empty file": "file",
    "symbolic link": "link",
}


class Done(Protocol):
    """What came of a command."""

    @property
    def rc(self) -> int: ...
    @property
    def stdout(self) -> str: ...


class Host(Protocol):
    """The part of testinfra's host that is used; its `linked_to` resolves a link fully and cannot tell its text."""

    def run(self, command: str, *args: str) -> Done: ...


def rows_at(host: Host, paths: Sequence[str]) -> Mapping[str, Row]:
    """Return the rows that a layout should have for these paths; ``unknown`` for what is none of its kinds."""
    script = f"for path in {' '.join(['%s'] * len(paths))}; do {_LOOK}; done"
    lines = host.run(script, *paths).stdout.splitlines()
    return {path: _row(path, *line.split(":", 2)) for path, line in zip(paths, lines, strict=True)}


def _row(path: str, words: str, mode: str, text: str) -> Row:
    kind = "absent" if not words else _KINDS.get(words, "unknown")
    return Row(path, kind, text, int(mode, 8) if kind in {"folder", "file"} else None)


def difference(wanted: Row, found: Row, layout: str) -> str:
    """Return which row is to be changed and to what, or ``""``."""
    mode = found.mode if wanted.mode is not None else None
    found = Row(found.path, found.kind, found.text, mode)
    if found == wanted:
        return ""
    return f"containers/layouts/{layout}.toml:{os.linesep}  has  {wanted}{os.linesep}  now  {found}"
