# SPDX-License-Identifier: MIT
"""How a distribution's rows are laid over this host's root: which can be, what it takes, and why the others cannot.

The host's own programs must go on working, since helpers and probes are some of them. So a row that would take them
away is not laid, and that is recorded. Nothing is changed here; the launcher does what the plan says.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from attrs import define, field, frozen

from boxproof.model.row import Row

Step: TypeAlias = tuple[Literal["folder", "file", "link", "absent"], str, int, bytes]
"""What to make in the layer: a kind, a path, a mode, and a file's content or a link's text."""

PROGRAMS: Final = (
    *("/bin", "/lib", "/lib32", "/lib64", "/libx32", "/sbin"),
    *("/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/libx32", "/usr/sbin"),
)
"""Folders without which this host's programs do not run."""
_CONTENT_MAX: Final = 1 << 20


@frozen
class Plan:
    """What the launcher is to lay, and what it leaves.

    Args:
        steps: by path, a folder before what lies in it.
        moved: folders of the host that show at another path, behind a link that has taken their own.
        refused: rows that are not laid, and why.
    """

    steps: tuple[Step, ...]
    moved: tuple[tuple[str, str], ...]
    refused: tuple[tuple[Row, str], ...]


def plan(rows: Iterable[Row], keep: str, contents: Mapping[str, bytes], mounts: Sequence[str], host: str = "") -> Plan:
    """Return how to lay `rows`, sorted by path.

    Args:
        rows: of a layout; those that nobody knows are left out.
        keep: a folder that must stay where it is, by its canonical path.
        contents: what files hold, by path; any other keeps what the host has.
        mounts: mount points of the host, the root left out; nothing can be laid below one.
        host: a folder that stands for the host's root.
    """
    planner = _Planner(keep, contents, mounts, host)
    for row in rows:
        if row.kind != "unknown":
            planner.lay(row)
    steps = tuple(planner.steps[path] for path in sorted(planner.steps))
    return Plan(steps, tuple(planner.moved), tuple(planner.refused))


@define
class _Planner:
    keep: str
    contents: Mapping[str, bytes]
    mounts: Sequence[str]
    host: str
    steps: dict[str, Step] = field(factory=dict)
    moved: list[tuple[str, str]] = field(factory=list)
    refused: list[tuple[Row, str]] = field(factory=list)

    def lay(self, row: Row) -> None:
        """Add what the row takes, or the reason why it is not laid."""
        if self._is_so(row):
            return
        if why := next(self._objections(row), ""):
            self.refused.append((row, why))
            return
        self._make_way(row)
        self._add(row)

    def _is_so(self, row: Row) -> bool:
        """Tell whether the host has this already."""
        mode = self._mode(row.path)
        if any(above in self.steps and self.steps[above][0] != "folder" for above in _above(row.path)):
            return False
        match row.kind:
            case "absent":
                return mode is None
            case "link":
                return mode is not None and stat.S_ISLNK(mode) and os.readlink(self.host + row.path) == row.text
            case "folder":
                same = mode is not None and stat.S_ISDIR(mode)
                return same and row.mode in {None, stat.S_IMODE(mode or 0)}
            case _:
                return mode is not None and stat.S_ISREG(mode) and row.path not in self.contents

    def _objections(self, row: Row) -> Iterator[str]:
        if _within(self.keep, row.path) and row.kind != "folder":
            yield "the folder for farms lies there"
        for mount in self.mounts:
            if _within(row.path, mount) and not (row.path == mount and row.kind == "link"):
                yield f"'{mount}' is a mount of its own on this host"
            if mount != row.path and _within(mount, row.path) and row.kind in {"file", "absent"}:
                yield f"'{mount}' is mounted below it on this host"
        for above in _above(row.path):
            mode = self._mode(above)
            if above not in self.steps and mode is not None and not stat.S_ISDIR(mode):
                yield f"'{above}' is no folder on this host"
        if row.path in PROGRAMS:
            yield from self._lost_programs(row)

    def _lost_programs(self, row: Row) -> Iterator[str]:
        names = self._names(row.path)
        target = _target(row)
        lost = names - self._names(target) if row.kind == "link" else names
        if lost and row.kind == "folder":
            yield "it is a link on this host, behind which programs lie"
        elif lost:
            there = f" and not in '{target}'" if target else ""
            yield f"{len(lost)} names that this host's programs may need are in it{there}"

    def _make_way(self, row: Row) -> None:
        """Have a folder whose path becomes a link show where that leads to, so that what it holds stays in reach."""
        mode = self._mode(row.path)
        if row.kind != "link" or mode is None or not stat.S_ISDIR(mode) or row.path in PROGRAMS:
            return
        if self._names(row.path) and not row.path.startswith("/etc/"):
            self._folder(_target(row), 0o755)
            self.moved.append((row.path, _target(row)))

    def _add(self, row: Row) -> None:
        for above in _above(row.path):
            self._folder(above, 0o755)
        match row.kind:
            case "folder":
                self._folder(row.path, 0o755 if row.mode is None else row.mode, exactly=True)
            case "link":
                self.steps[row.path] = ("link", row.path, 0o777, os.fsencode(row.text))
            case "absent":
                self.steps[row.path] = ("absent", row.path, 0, b"")
            case _:
                self.steps[row.path] = ("file", row.path, 0o644 if row.mode is None else row.mode, self._content(row))

    def _folder(self, path: str, mode: int, *, exactly: bool = False) -> None:
        there = self._mode(path)
        if there is not None and stat.S_ISDIR(there) and not exactly:
            mode = stat.S_IMODE(there)
        if exactly or path not in self.steps:
            self.steps[path] = ("folder", path, mode, b"")

    def _content(self, row: Row) -> bytes:
        if row.path in self.contents:
            return self.contents[row.path]
        try:
            with open(self.host + row.path, "rb") as file:
                return file.read(_CONTENT_MAX)
        except OSError:
            # a comment in most formats: what reads its configuration at the start, as node an openssl.cnf, starts
            return b"# boxproof: a file of a replica\n"

    def _mode(self, path: str) -> int | None:
        try:
            return os.lstat(self.host + path).st_mode
        except OSError:
            return None

    def _names(self, path: str) -> frozenset[str]:
        try:
            return frozenset(os.listdir(self.host + path)) if path else frozenset()
        except OSError:
            return frozenset()


def unlike(view: str, rows: Iterable[Row]) -> str:
    """Return the first of `rows` that is not so, as seen through `view`, and what is there instead; or ``""``.

    Args:
        view: ``/proc/PID/root`` of a process, or ``""``.
        rows: those of kind ``unknown`` are passed over.
    """
    return next((f"'{row.path}' is {seen}" for row in rows if (seen := _unlike(view, row))), "")


def _unlike(view: str, row: Row) -> str:
    try:
        mode = os.lstat(view + row.path).st_mode
    except OSError as error:
        known = isinstance(error, FileNotFoundError | NotADirectoryError)
        missing = "absent" if known else f"not to be looked at ({error.strerror})"
        return "" if row.kind == "unknown" or (known and row.kind == "absent") else missing
    kinds = {stat.S_IFDIR: "folder", stat.S_IFREG: "file", stat.S_IFLNK: "link"}
    kind = kinds.get(stat.S_IFMT(mode), "special")
    if row.kind not in {kind, "unknown"}:
        return f"a {kind}"
    text = os.readlink(view + row.path) if row.kind == "link" else ""
    if text != row.text:
        return f"-> {text}"
    return f"mode={stat.S_IMODE(mode):04o}" if row.mode not in {None, stat.S_IMODE(mode)} else ""


def _target(row: Row) -> str:
    """Return the path that a link's text names, taken as text."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(row.path), row.text)) if row.kind == "link" else ""


def _above(path: str) -> Iterator[str]:
    return (path[:end] for end, character in enumerate(path) if character == "/" and end)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
