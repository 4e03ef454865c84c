# SPDX-License-Identifier: MIT
"""What an image has at one path, asked of a container of it with testinfra."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from attrs import evolve

from boxproof.grounds.container.rows import LOOK, differing, seen_rows
from boxproof.model.row import Row

IMAGES: Final = "BOXPROOF_IMAGES"
"""The variable that names the images to audit, separated by blanks; without it, all of the project's that are here."""
MADE_BY_ENGINES: Final = frozenset({"/etc/mtab", "/etc/resolv.conf", "/etc/hosts", "/etc/hostname"})
"""What a container engine makes or mounts in every container, whatever the image has there."""


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
    """Return what an image has at these paths."""
    done = host.run(f"sh -c %s sh {' '.join(['%s'] * len(paths))}", LOOK, *paths)
    return seen_rows(paths, done.stdout)


def difference(wanted: Row, found: Row, layout: str) -> str:
    """Return which row is to be changed and to what, or ``""``."""
    if not differing([wanted], {wanted.path: found}):
        return ""
    found = evolve(found, mode=found.mode if wanted.mode is not None else None)
    return f"containers/layouts/{layout}.toml:{os.linesep}  has  {wanted}{os.linesep}  now  {found}"
