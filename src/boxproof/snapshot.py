# SPDX-License-Identifier: MIT
"""What lies below the farm's base folder at one moment, and what changed between two.

Compared are type, mode, owner, link text and bytes; the time of the last change only for files and links, since a
folder's changes with every name that the command may well have made in it (contract, HOST-1).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final, Literal, TypeAlias

from attrs import frozen

CONTENT_MAX: Final = 1 << 16
"""Bytes of a file that are kept; farms hold one line a file."""

DEPTH_MAX: Final = 100
"""Folders below an area that are looked into; what lies deeper has a folder above it that no case has made."""
LENGTH_MAX: Final = 3800
"""Bytes in the path of a folder that is looked into: with a name in it, it must be a path (``PATH_MAX``)."""

Change: TypeAlias = Literal["added", "removed", "changed"]


@frozen
class Node:
    """One inode as a name shows it."""

    kind: str
    mode: int
    uid: int
    gid: int
    content: bytes
    identity: tuple[int, int]
    modified: int


@frozen
class Difference:
    """One name that is not as it was.

    Args:
        path: absolute, as the launch sees it.
        change: what became of the name.
        aspect: what differs, such as ``bytes`` or ``mode``; for a new name its kind.
    """

    path: str
    change: Change
    aspect: str
    content: bytes = b""


Snapshot: TypeAlias = Mapping[str, Node]
"""Absolute path, as the launch sees it, to what is there."""

_KINDS: Final = {
    stat.S_IFDIR: "folder",
    stat.S_IFREG: "file",
    stat.S_IFLNK: "link",
    stat.S_IFSOCK: "socket",
    stat.S_IFIFO: "fifo",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def take(base: str, view: str, areas: Sequence[str]) -> Snapshot:
    """Return all that lies in the folders `areas` below `base`, looked at through `view`, the launches' own view of it.

    No link is followed, whatever a helper has put in an area's place. A folder that its owner cannot read is opened for
    the moment of looking, which changes none of what is compared.
    """
    found: dict[str, Node] = {}
    for area in areas:
        if facts := _facts(f"{view}/{area}"):
            _look(f"{view}/{area}", facts, f"{base}/{area}", found, DEPTH_MAX)
    return found


def differences(before: Snapshot, after: Snapshot) -> tuple[Difference, ...]:
    """Return what changed, sorted by path."""
    return tuple(
        found
        for path in sorted(before.keys() | after.keys())
        if (found := _difference(path, before.get(path), after.get(path))) is not None
    )


def _facts(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _look(seen: str, facts: os.stat_result, path: str, found: dict[str, Node], depth: int) -> None:
    """Add what is at `path`, looked at as `seen`, and what is below it, `depth` folders deep."""
    node = _node(seen, facts)
    found[path] = node
    if node.kind == "folder" and depth and len(os.fsencode(seen)) < LENGTH_MAX:
        with _opened(seen, node.mode, stat.S_IRWXU):
            for name in sorted(os.listdir(seen)):
                inner = f"{seen}/{name}"
                _look(inner, os.lstat(inner), f"{path}/{name}", found, depth - 1)


def _opened(path: str, mode: int, wanted: int) -> AbstractContextManager[None]:
    """Give the owner the permissions `wanted` for the length of a block."""
    return nullcontext() if mode & wanted == wanted else _opening(path, mode, wanted)


@contextmanager
def _opening(path: str, mode: int, wanted: int) -> Iterator[None]:
    os.chmod(path, mode | wanted)
    try:
        yield
    finally:
        os.chmod(path, mode)


def _node(path: str, facts: os.stat_result) -> Node:
    kind = _KINDS[stat.S_IFMT(facts.st_mode)]
    mode = stat.S_IMODE(facts.st_mode)
    return Node(
        kind=kind,
        mode=mode,
        uid=facts.st_uid,
        gid=facts.st_gid,
        content=_content(path, kind, mode),
        identity=(facts.st_dev, facts.st_ino),
        modified=0 if kind == "folder" else facts.st_mtime_ns,
    )


def _content(path: str, kind: str, mode: int) -> bytes:
    if kind == "link":
        return os.fsencode(os.readlink(path))
    if kind != "file":
        return b""
    with _opened(path, mode, stat.S_IRUSR):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        return os.read(descriptor, CONTENT_MAX)
    except OSError as error:
        # what keeps a namespace looks like a file, and cannot be read (namespaces(7))
        if error.errno != errno.EINVAL:
            raise
        return b""
    finally:
        os.close(descriptor)


def _difference(path: str, before: Node | None, after: Node | None) -> Difference | None:
    if before is None:
        return Difference(path, "added", after.kind, after.content) if after else None
    if after is None:
        return Difference(path, "removed", before.kind)
    aspects = [
        name
        for name, same in (
            ("type", before.kind == after.kind),
            ("mode", before.mode == after.mode),
            ("owner", (before.uid, before.gid) == (after.uid, after.gid)),
            ("link text" if before.kind == "link" else "bytes", before.content == after.content),
            ("object", before.identity == after.identity),
            ("time", before.modified == after.modified),
        )
        if not same
    ]
    return Difference(path, "changed", ", ".join(aspects), after.content) if aspects else None
