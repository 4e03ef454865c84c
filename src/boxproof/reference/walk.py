# SPDX-License-Identifier: MIT
"""Where a spelling leads, found as the kernel finds it (path_resolution(7)).

One component at a time, each opened below the descriptor of the last folder with O_NOFOLLOW, so that nothing is
decided on text: a link is read from its own descriptor, ``..`` is opened by the kernel, and a string is never
normalised. What was crossed on the way is kept, because a rule is only as firm as the links and folders under it.
"""

from __future__ import annotations

import errno
import os
import stat

from .held import FLAGS, Held
from .paths import ROOT, join, parent
from .refusal import Refused, shown

MAX_LINKS = 40
"""Links that the kernel follows in one look-up before it says ELOOP (path_resolution(7))."""

MAX_PATH = 4096
"""Length in bytes, with the closing NUL, from which the kernel says ENAMETOOLONG (PATH_MAX)."""

NOWHERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES, errno.ENAMETOOLONG})
"""Ways to end that say something about the path. Any other error says that it could not be looked at."""


class Walk:
    """Where one spelling leads.

    Attributes:
        spelling: the path as it was given.
        real: canonical path of the object, or of the last one reached where the walk failed.
        rest: components that were left when it failed, as written.
        error: 0, or the errno that ended the walk.
        mode: type and mode bits (``st_mode``) of what `real` names.
        held: what `real` names, kept open from the moment it was reached.
        links: the links that were followed: canonical path of the link itself, and its text.
        folders: canonical paths of the folders that were looked into, in order.
    """

    __slots__ = ("error", "folders", "held", "links", "mode", "real", "rest", "spelling")

    def __init__(self, spelling: bytes) -> None:
        self.spelling = spelling
        self.real = ROOT
        self.rest: list[bytes] = []
        self.error = 0
        self.mode = stat.S_IFDIR
        self.held: Held | None = None
        self.links: list[tuple[bytes, bytes]] = []
        self.folders: list[bytes] = []

    @property
    def is_folder(self) -> bool:
        """Whether `real` is a folder."""
        return stat.S_ISDIR(self.mode)


def walk(spelling: bytes) -> Walk:
    """Follow the absolute path `spelling` on the host; nothing is opened for reading, so that no FIFO can block.

    Raises:
        Refused: the host could not be asked (no descriptor left, an error of the file system), so that the rule could
            neither be kept nor be dropped.
    """
    way = Walk(spelling)
    todo = components(spelling)
    if len(spelling) >= MAX_PATH:
        return _failed(way, errno.ENAMETOOLONG, todo)
    here = os.open(ROOT, FLAGS | os.O_DIRECTORY)
    while todo and not way.error:
        name = todo.pop(0)
        try:
            here = _step(way, here, name, todo)
        except OSError as error:
            _failed(way, error.errno or errno.EIO, [name, *todo])
    way.held = Held(here)
    return way


def reached(way: Walk) -> Walk:
    """A failed walk, taken for one to the last object that it reached."""
    whole = Walk(way.spelling)
    whole.real, whole.mode, whole.held = way.real, way.mode, way.held
    whole.links, whole.folders = way.links, way.folders
    return whole


def components(text: bytes) -> list[bytes]:
    """The parts of a path or of a link's text; a trailing slash leaves an empty part, which asks for a folder."""
    return text.split(b"/")


def _step(way: Walk, here: int, name: bytes, todo: list[bytes]) -> int:
    """One component further; gives the descriptor to go on from, and has then closed `here`."""
    if not way.is_folder:
        raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if way.real not in way.folders[-1:]:
        way.folders.append(way.real)
    if name in {b"", b"."}:
        return here
    found = os.open(name, FLAGS, dir_fd=here)
    try:
        mode = os.fstat(found).st_mode
        if stat.S_ISLNK(mode):
            there = _follow(way, here, name, os.readlink(b"", dir_fd=found), todo)
            os.close(found)
            return there
    except OSError:
        os.close(found)
        raise
    os.close(here)
    way.mode = mode
    way.real = parent(way.real) if name == b".." else join(way.real, name)
    return found


def _follow(way: Walk, here: int, name: bytes, text: bytes, todo: list[bytes]) -> int:
    """Put the text of a link in front of what is still to do; an absolute one starts again at the root."""
    if len(way.links) >= MAX_LINKS:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    way.links.append((join(way.real, name), text))
    todo[:0] = components(text)
    if not text.startswith(b"/"):
        return here
    root = os.open(ROOT, FLAGS | os.O_DIRECTORY)
    os.close(here)
    way.real = ROOT
    return root


def _failed(way: Walk, error: int, rest: list[bytes]) -> Walk:
    if error not in NOWHERE:
        raise Refused(shown(way.spelling), f"cannot be looked up: {os.strerror(error)}", "see to that, or leave it out")
    way.error = error
    way.rest = rest
    return way
