# SPDX-License-Identifier: MIT
"""Seeded topologies and paths that look for a difference between the model's path resolution and the kernel's.

No name here may exist above a farm on any machine, since the model knows nothing of what lies there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import frozen

from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, Topology, parent

NAMES: Final = ("pear", "plum", "fig", "..kiwi", "...", "a lime\n", "-quince", "\udcff\udcfemelon", "杏", "n" * 255)
MODES: Final = (0o755,) * 24 + (0o000, 0o100, 0o300, 0o400, 0o500, 0o600, 0o1777)
STARTS: Final = ("", "./", "../", "{farm}/", "{up}{farm}/", "/../{farm}/", "/")
START_WEIGHTS: Final = (18, 6, 6, 6, 6, 2, 1)
ENDS: Final = ("",) * 18 + ("/", "/", "//", "/.", "/..", "/./", "/../")
KINDS: Final = ("folder",) * 4 + ("link",) * 6 + ("file", "file", "hard link", "socket", "fifo")
DEPTH_MAX: Final = 4
LINK_TEXT_MAX: Final = 3000  # symlink(2) refuses more than 4095 bytes, placeholders replaced


@frozen
class Asked:
    """One question: where does `text` lead, from the farm's folder `folder`?"""

    text: str
    folder: str
    follow: bool


@frozen
class Generator:
    """Draws from `rng`; with `mounts`, a folder may be a mount."""

    rng: random.Random
    mounts: bool = False

    def topology(self) -> Topology:
        """Draw a farm of a few entries, or now and then a chain about as long as the kernel allows."""
        if self.rng.random() < 0.1:
            return self._chain(self.rng.randint(37, 42))
        entries: dict[str, Entry] = {}
        for _ in range(self.rng.randint(3, 12)):
            folder = self.rng.choice(_folders(entries))
            path = _below(folder, self.rng.choice(NAMES))
            if path not in entries and path.count("/") < DEPTH_MAX:
                entries[path] = self._entry(path, entries)
        return Topology(tuple(entries.values()))

    def questions(self, topology: Topology, count: int) -> Iterator[Asked]:
        """Draw paths, about half of them near something that exists."""
        entries = topology.by_path
        for _ in range(count):
            folder = self.rng.choice(_folders(entries))
            text = "" if self.rng.random() < 0.002 else self._text(folder, entries)
            yield Asked(text, folder, follow=self.rng.random() < 0.6)

    def _entry(self, path: str, entries: Mapping[str, Entry]) -> Entry:
        kind = self.rng.choice(KINDS)
        near = [other for other, entry in entries.items() if isinstance(entry, File)]
        near = [other for other in near if _mount_of(other, entries) == _mount_of(path, entries)]
        match kind:
            case "folder":
                return self._folder(path, entries)
            case "link":
                text = self._text(parent(path), entries)
                return Link(path, text if len(text) < LINK_TEXT_MAX else "plum")
            case "socket":
                return Socket(path)
            case "fifo":
                return Fifo(path)
            case "hard link" if near:
                return HardLink(path, self.rng.choice(near))
        return File(path)

    def _folder(self, path: str, entries: Mapping[str, Entry]) -> Entry:
        if not self.mounts or self.rng.random() < 0.5:
            return Dir(path, self.rng.choice(MODES))
        shown = [other for other, entry in entries.items() if isinstance(entry, Dir | Mount)]
        return Mount(path, "bind", self.rng.choice(shown)) if shown and self.rng.random() < 0.7 else Mount(path)

    def _text(self, folder: str, entries: Mapping[str, Entry]) -> str:
        start = self.rng.choices(STARTS, START_WEIGHTS)[0]
        if entries and self.rng.random() < 0.7:
            climb = "../" * (folder.count("/") + bool(folder))
            return (start if "{farm}" in start else climb) + self.rng.choice(list(entries)) + self._tail()
        names = [self._name() for _ in range(self.rng.randint(1, 4))]
        return start + self.rng.choice(("/", "/", "/", "//", "/./")).join(names) + self.rng.choice(ENDS)

    def _tail(self) -> str:
        return "".join(f"/{self._name()}" for _ in range(self.rng.choice((0, 0, 0, 0, 0, 1, 2)))) + self.rng.choice(
            ENDS
        )

    def _name(self) -> str:
        rare = self.rng.random()
        if rare < 0.01:
            return "n" * 256
        if rare < 0.015:
            return "./" * self.rng.randint(1950, 2100) + "pear"
        return self.rng.choice((*NAMES[:4], *NAMES[:4], *NAMES, "..", "..", "."))

    def _chain(self, length: int) -> Topology:
        """Chain links of different shapes; what the last one leads to may be there, missing or the first one."""
        ends: tuple[Entry, ...] = (Dir("end"), File("end"), Link("end", "nowhere"), Link("end", "link0"), Dir("other"))
        shapes = ("{}", "./{}", "{{farm}}/{}", "sub/../{}", "{{up}}{{farm}}/{}", "around/{}", "{}/", "{}/.", "{}/../{}")
        weights = (9, 9, 9, 9, 9, 2, 2, 1, 1)
        links = [
            Link(f"link{number}", self._shape(shapes, weights).format(after, after))
            for number, after in enumerate([*(f"link{number}" for number in range(1, length)), "end"])
        ]
        return Topology((Dir("sub"), Link("around", "."), self.rng.choice(ends), *links))

    def _shape(self, shapes: tuple[str, ...], weights: tuple[int, ...]) -> str:
        return self.rng.choices(shapes, weights)[0]


def generator(seed: int, *, mounts: bool = False) -> Generator:
    """Return a generator that draws the same on every machine."""
    return Generator(random.Random(seed), mounts)  # noqa: S311 - a test must repeat, and nothing here is a secret


def _folders(entries: Mapping[str, Entry]) -> list[str]:
    """Return the folders that may hold something; below a second mount nothing is declared."""
    folders = [path for path, entry in entries.items() if isinstance(entry, Dir)]
    return ["", *folders, *(p for p, e in entries.items() if isinstance(e, Mount) and e.kind == "tmpfs")]


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _mount_of(path: str, entries: Mapping[str, Entry]) -> str:
    while path and not isinstance(entries.get(path), Mount):
        path = parent(path)
    return path
