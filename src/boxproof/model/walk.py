# SPDX-License-Identifier: MIT
"""One walk along a path, as the kernel does it (path_resolution(7), ``fs/namei.c``), over nodes held in a mapping.

Nodes are named by **canonical path**: absolute, no link, no ``.`` or ``..``.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final, Literal, TypeAlias

from attrs import Factory, define, frozen

from boxproof.model.topology import NAME_MAX

LINK_MAX: Final = 40
"""Links that one walk may cross (``MAXSYMLINKS``).

The kernel counts those of an interrupted walk twice (``path_init`` leaves ``total_link_count`` as it is): beside a
mount or rename elsewhere on the machine, a walk of 21 links or more may now and then fail.
"""
PATH_MAX: Final = 4095
"""Bytes in a path, without the NUL that ends it (``limits.h``)."""
SEARCH: Final = 0o100
"""The owner's mode bit for looking up names in a folder."""

Kind: TypeAlias = Literal["", "folder", "file", "link", "socket", "fifo", "namespace"]
Error: TypeAlias = Literal["", "ENOENT", "ELOOP", "ENOTDIR", "ENAMETOOLONG", "EACCES", "outside"]


@frozen
class Node:
    """What is found at one canonical path.

    Args:
        kind: never empty here; a hard link is a ``file``.
        origin: the canonical path itself, or the one that a second mount shows.
        mode: permission bits of a folder; the caller owns it.
        text: text of a link, placeholders replaced.
        partial: whether a folder may hold names that the model does not know.
    """

    kind: Kind
    origin: str
    mode: int = 0o755
    text: str = ""
    partial: bool = False


@frozen
class Resolution:
    """Where one path leads.

    Args:
        error: empty, the name of the errno, or ``outside`` for a name that the model does not know.
        real: canonical path of what the path leads to, or empty.
        node: its kind, or empty.
        creatable: canonical path of the file that open(2) with ``O_CREAT`` makes if the folder is writable, or empty.
        links: canonical paths of the links crossed, in order, a link as often as it was crossed.
        searched: canonical paths of the folders searched, each once, in order; on ``EACCES`` the last one refused.
    """

    error: Error
    real: str = ""
    node: Kind = ""
    creatable: str = ""
    links: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """`error`, but for ENOENT ``missing leaf`` where a file can be made and ``missing parent`` where not."""
        if self.error != "ENOENT":
            return self.error
        return "missing leaf" if self.creatable else "missing parent"


def walk(  # noqa: PLR0913 - all but the walk itself are keywords
    nodes: Mapping[str, Node],
    path: str,
    start: str,
    *,
    follow: bool,
    privileged: bool,
    absent: Container[str] = (),
) -> Resolution:
    """Walk `path` from the folder `start`, which must be ``/`` for an absolute path.

    Args:
        nodes: all there is, by canonical path.
        path: as a system call would get it.
        start: canonical path of a folder.
        follow: whether a link in last place is followed (stat(2)) or is what the path leads to (lstat(2)).
        privileged: whether the caller passes over mode bits (``CAP_DAC_OVERRIDE``).
        absent: canonical paths in partial folders of which it is known that nothing is there.
    """
    return _Walk(nodes, privileged, start, follow, absent=absent).along(path)


def folder_of(path: str) -> str:
    """Return the folder that holds a canonical path; the root holds itself."""
    return path.rpartition("/")[0] or "/"


def join(folder: str, name: str) -> str:
    """Return the path of `name` in a folder, the root included."""
    return f"{folder}/{name}" if folder != "/" else f"/{name}"


@define
class _Walk:
    """A walk under way: it has come to `at`, and has the components `rest` still to go, the next one last.

    `slash` says that the path has ended in a slash, so that it must lead to a folder.
    """

    nodes: Mapping[str, Node]
    privileged: bool
    at: str
    follow: bool
    slash: bool = False
    creatable: str = ""
    absent: Container[str] = ()
    rest: list[str] = Factory(list)
    links: list[str] = Factory(list)
    searched: dict[str, None] = Factory(dict)

    def along(self, path: str) -> Resolution:
        """Walk the whole path."""
        if _exceeds(path, PATH_MAX):
            return Resolution("ENAMETOOLONG")
        if not path:
            return Resolution("ENOENT")
        self._enter(path)
        error: Error = ""
        while self.rest and not error:
            error = self._step(self.rest.pop())
        return self._end(error)

    def _end(self, error: Error) -> Resolution:
        links, searched = tuple(self.links), tuple(self.searched)
        if error:
            return Resolution(error, creatable=self.creatable, links=links, searched=searched)
        return Resolution("", self.at, self.nodes[self.at].kind, links=links, searched=searched)

    def _enter(self, text: str) -> None:
        # Only a text with nothing after it ends the path; a slash there outweighs "do not follow" (lookup_last).
        if not self.rest and text.endswith("/"):
            self.slash = self.follow = True
        self.rest += [name for name in reversed(text.split("/")) if name]

    def _step(self, name: str) -> Error:
        # The folder is searched for "." and ".." too (may_lookup comes before the name is looked at).
        self.searched[self.at] = None
        if not (self.privileged or self.nodes[self.at].mode & SEARCH):
            return "EACCES"
        if name == ".":
            return ""
        if name == "..":
            self.at = folder_of(self.at)
            return ""
        return "ENAMETOOLONG" if _exceeds(name, NAME_MAX) else self._look_up(join(self.at, name))

    def _look_up(self, path: str) -> Error:
        node = self.nodes.get(path)
        if node is None:
            return self._miss(path)
        if node.kind == "link" and (self.rest or self.follow):
            return self._cross(path, node.text)
        self.at = path
        return "ENOTDIR" if node.kind != "folder" and (self.rest or self.slash) else ""

    def _miss(self, path: str) -> Error:
        if self.nodes[self.at].partial and path not in self.absent:
            return "outside"
        if not (self.rest or self.slash):
            self.creatable = path
        return "ENOENT"

    def _cross(self, link: str, text: str) -> Error:
        if len(self.links) == LINK_MAX:
            return "ELOOP"
        self.links.append(link)
        self._enter(text)
        if text.startswith("/"):
            self.at = "/"
        return ""


def _exceeds(path: str, limit: int) -> bool:
    """Tell whether a path has more bytes than `limit`."""
    return len(path.encode("utf-8", "surrogateescape")) > limit
