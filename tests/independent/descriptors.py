# SPDX-License-Identifier: MIT
"""Walks along paths on the real file system, one ``openat(2)`` for each component, and what objects are called there.

A folder is known by mount, device and inode, anything else by its folder and name: no path is ever taken as text.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Final, Self, TypeAlias

from attrs import Factory, define, frozen

Folder: TypeAlias = tuple[int, int, int]
"""Mount id, device, inode."""

LINKS: Final = 40
"""What path_resolution(7) allows one walk to cross."""


@frozen
class Spot:
    """A name in a folder, whether something is there or not; the folder itself where the name is empty."""

    folder: Folder
    name: str = ""


@frozen
class Reached:
    """Where a walk came to.

    Args:
        error: name of the errno, or empty.
        spot: what it came to, or the name that is missing at the very end; `None` where it broke off before that.
        mode: ``st_mode`` of what is there, 0 where nothing is.
        names: ``st_nlink`` of what is there.
        crossed: the links on the way.
        searched: the folders on the way.
    """

    error: str
    spot: Spot | None = None
    mode: int = 0
    names: int = 0
    crossed: tuple[Spot, ...] = ()
    searched: tuple[Spot, ...] = ()


@define
class Descriptors:
    """Every folder that a walk has come through, held open; closed at the end of the block.

    Args:
        second: the roots of second mounts, and the folders that they show.
    """

    second: dict[Folder, Folder] = Factory(dict)
    _held: dict[Folder, int] = Factory(dict)
    _above: dict[Folder, Folder] = Factory(dict)
    _known: dict[tuple[str, Folder], Reached] = Factory(dict)

    def __enter__(self) -> Self:
        """Hold descriptors until the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all of them."""
        while self._held:
            os.close(self._held.popitem()[1])

    @property
    def root(self) -> Folder:
        """The root of this process."""
        return self._keep(os.open("/", os.O_PATH))

    def walk(self, path: str, start: Folder | None = None) -> Reached:
        """Walk a path as stat(2) would, from the root or for a relative one from `start`."""
        begin = self.root if start is None else start
        if (path, begin) not in self._known:
            self._known[path, begin] = self._walk(path, begin)
        return self._known[path, begin]

    def chain(self, spot: Spot) -> Iterator[Spot]:
        """Iterate over a name, its folder and all folders above that."""
        if spot.name:
            yield spot
        folder = spot.folder
        yield Spot(folder)
        while (above := self.above(folder)) != folder:
            folder = above
            yield Spot(folder)

    def above(self, folder: Folder) -> Folder:
        """Return what ``..`` leads to, the root itself in the root."""
        if folder not in self._above:
            self._above[folder] = self._keep(os.open("..", os.O_PATH, dir_fd=self._held[folder]))
        return self._above[folder]

    def real(self, spot: Spot) -> str:
        """Return the kernel's own name of a spot, for a message or to look it up elsewhere."""
        folder = os.readlink(f"/proc/self/fd/{self._held[spot.folder]}")
        return f"{folder.rstrip('/')}/{spot.name}" if spot.name else folder

    def _walk(self, path: str, begin: Folder) -> Reached:
        # an empty component is a dot: so "a//b", "a/" and "/" need no rule of their own
        todo, at = deque(path.split("/")), begin
        crossed: list[Spot] = []
        searched: dict[Spot, None] = {}
        while todo:
            name = todo.popleft() or "."
            searched[Spot(at)] = None
            try:
                found = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=self._held[at])
            except OSError as failure:
                last = Spot(at, name) if failure.errno == errno.ENOENT and not todo else None
                return Reached(_name(failure), last, crossed=tuple(crossed), searched=tuple(searched))
            facts = os.fstat(found)
            if stat.S_ISDIR(facts.st_mode):
                at = self._keep(found)
                continue
            text = os.readlink("", dir_fd=found) if stat.S_ISLNK(facts.st_mode) else ""
            os.close(found)
            if not text:
                error = "ENOTDIR" if todo else ""
                return Reached(error, Spot(at, name), facts.st_mode, facts.st_nlink, tuple(crossed), tuple(searched))
            crossed.append(Spot(at, name))
            if len(crossed) > LINKS:
                return Reached("ELOOP", crossed=tuple(crossed), searched=tuple(searched))
            todo.extendleft(reversed(text.split("/")))
            at = self.root if text.startswith("/") else at
        return Reached("", Spot(at), stat.S_IFDIR, 1, tuple(crossed), tuple(searched))

    def _keep(self, descriptor: int) -> Folder:
        """Hold the only descriptor of a folder."""
        facts = os.fstat(descriptor)
        folder = (_mount_of(descriptor), facts.st_dev, facts.st_ino)
        if folder in self._held:
            os.close(descriptor)
        else:
            self._held[folder] = descriptor
        return folder


def second_mounts(walks: Descriptors, made: Mapping[str, str]) -> dict[Folder, Folder]:
    """Return the roots of the mounts that were `made`, a folder on a path, and what they show."""
    ends = {walks.walk(path).spot: walks.walk(of).spot for path, of in made.items()}
    return {path.folder: of.folder for path, of in ends.items() if path and of}


def _mount_of(descriptor: int) -> int:
    with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as facts:
        return next(int(line.split()[1]) for line in facts if line.startswith("mnt_id:"))


def _name(failure: OSError) -> str:
    return errno.errorcode[failure.errno or 0]
