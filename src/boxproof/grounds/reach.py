# SPDX-License-Identifier: MIT
"""Whether a uid can reach a path at all: the search permission of every folder on the way (path_resolution(7))."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path


def reachable_by(path: str, uid: int, gid: int) -> str:
    """Return ``""``, or the first folder on the way to `path` that stops `uid`, with its mode.

    Looks at mode bits, not at access control lists or supplementary groups, which a launch has none of. `path` itself
    is looked at where it is a folder; what does not exist stops nobody here.
    """
    if uid == 0:
        return ""
    for folder in _way(Path(path).absolute()):
        try:
            found = folder.stat()
        except FileNotFoundError:
            return ""
        except PermissionError:
            return f"{folder} (not to be looked at)"
        if stat.S_ISDIR(found.st_mode) and not found.st_mode & _search_bit(found.st_uid, found.st_gid, uid, gid):
            return f"{folder} (mode {stat.S_IMODE(found.st_mode):04o})"
    return ""


def _way(path: Path) -> Iterator[Path]:
    """Yield `path` and the folders above it, from the root, as spelled and then as links resolve."""
    yield from (*reversed(path.parents), path)
    real = path.resolve()
    if real != path:
        yield from (*reversed(real.parents), real)


def _search_bit(owner: int, group: int, uid: int, gid: int) -> int:
    if owner == uid:
        return stat.S_IXUSR
    return stat.S_IXGRP if group == gid else stat.S_IXOTH
