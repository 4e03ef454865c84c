# SPDX-License-Identifier: MIT
"""A symlink farm as a value: entries below one root, in the order in which they are made.

Paths are relative to the farm, with ``/`` between components and no ``.``, ``..`` or empty component. The text of a
link is kept exactly as written, since the link's shape is the test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from attrs import frozen

from boxproof.errors import CaseError
from boxproof.model.names import FARM, escape
from boxproof.model.row import Row

NAME_MAX: Final = 255
"""Bytes in one component (``limits.h``)."""


@frozen
class Dir:
    """A folder."""

    path: str
    mode: int = 0o755


@frozen
class File:
    """A regular file that holds one random token, its own."""

    path: str
    mode: int = 0o644


@frozen
class Link:
    """A symbolic link with the text `text`, which may hold the placeholders ``{farm}`` and ``{up}``."""

    path: str
    text: str


@frozen
class HardLink:
    """One more name of the file at `of`."""

    path: str
    of: str


@frozen
class Socket:
    """A Unix socket; with `listening`, somebody answers on it."""

    path: str
    listening: bool = False


@frozen
class Fifo:
    """A named pipe that nobody has opened."""

    path: str


@frozen
class Mount:
    """A folder on which something is mounted: an empty ``tmpfs``, or a ``bind`` of the farm's folder `of`.

    With ``nsfs`` it is a file that keeps a namespace, whose line in the mount table names no path (namespaces(7)).
    """

    path: str
    kind: Literal["tmpfs", "bind", "nsfs"] = "tmpfs"
    of: str = ""


Entry: TypeAlias = Dir | File | Link | HardLink | Socket | Fifo | Mount


@frozen
class Topology:
    """What a farm holds, and what a case needs to lie at absolute paths above it.

    Args:
        entries: the farm's, in the order in which they are made.
        above: rows of a distribution's layout, as the case needs them.

    Raises:
        CaseError: for an entry that is there twice, that leaves the farm, whose folder is missing or comes later,
            or a hard link or bind whose other name does not come before it.
    """

    entries: tuple[Entry, ...]
    above: tuple[Row, ...] = ()

    def __attrs_post_init__(self) -> None:
        """Check each entry against those before it, as the farm will make them."""
        seen: dict[str, Entry] = {}
        for entry in self.entries:
            _check(entry, seen)
            seen[entry.path] = entry

    def __iter__(self) -> Iterator[Entry]:
        """Iterate over the entries in the order in which they are made."""
        return iter(self.entries)

    @cached_property
    def by_path(self) -> Mapping[str, Entry]:
        """The entries by their path."""
        return MappingProxyType({entry.path: entry for entry in self.entries})

    @cached_property
    def found(self) -> dict[tuple[str, bool], Any]:
        """What `boxproof.model.resolve.Tree` has worked out about this topology, by the tree's other fields."""
        return {}

    @cached_property
    def mounts(self) -> tuple[Mount, ...]:
        """The entries that need a mount namespace to be made."""
        return tuple(entry for entry in self.entries if isinstance(entry, Mount))


def is_folder(entry: Entry | None) -> bool:
    """Tell whether other entries can lie below this one."""
    return isinstance(entry, Dir) or (isinstance(entry, Mount) and entry.kind != "nsfs")


def parent(path: str) -> str:
    """Return the folder of a relative path, ``""`` for the farm itself."""
    return path.rpartition("/")[0]


def _check(entry: Entry, seen: Mapping[str, Entry]) -> None:
    shown = escape(entry.path)
    _check_path(entry.path)
    if entry.path in seen:
        raise CaseError(f"'{shown}' is in the tree twice", cure="keep one of the two lines")
    above = parent(entry.path)
    if above and not is_folder(seen.get(above)):
        raise CaseError(f"'{shown}' lies in no folder", cure=f"add the line '{escape(above)}/' before it")
    if isinstance(entry, Link) and not entry.text:
        raise CaseError(f"the link '{shown}' has no text", cause="symlink(2) refuses an empty one")
    if isinstance(entry, HardLink) and not isinstance(seen.get(entry.of), File | HardLink):
        raise CaseError(f"'{shown}' is a hard link of '{escape(entry.of)}', which is no file before it")
    if isinstance(entry, Mount) and entry.kind == "bind" and not is_folder(seen.get(entry.of)):
        raise CaseError(f"'{shown}' is a second mount of '{escape(entry.of)}', which is no folder before it")


def _check_path(path: str) -> None:
    components = path.split("/")
    if {"", ".", ".."} & set(components) or FARM in path:
        raise CaseError(
            f"the entry '{escape(path)}' is not a plain path below the farm",
            cause="it is absolute, or has an empty, '.' or '..' component",
        )
    if any(len(name.encode("utf-8", "surrogateescape")) > NAME_MAX for name in components):
        raise CaseError(f"'{escape(path)[:40]}...' has a name of more than {NAME_MAX} bytes")
