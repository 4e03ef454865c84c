# SPDX-License-Identifier: MIT
"""What the command will see: a table from canonical paths to access; the nearest entry above a path rules it. Pure.

The table always has an entry for the root. It is the one place where "which rule wins" is decided.
"""

from __future__ import annotations

from .paths import ROOT, at_or_below, parent, upwards

RO = "ro"
RW = "rw"
DENY = "deny"
HIDDEN = "hidden"
"""Listed reads: nothing of the host is here unless an entry below shows it."""
PRIVATE = "private"
"""A temp folder of the sandbox's own, empty at the start."""
PROC = "proc"
DEV = "dev"

SHOWS_HOST = (RO, RW)
EMPTY_AT_START = (HIDDEN, PRIVATE, DEV)
"""Kinds in which a name of the host is absent, so that links and folders there have to be made."""
MADE_INSIDE = (PRIVATE, DEV)
"""Kinds in which the command can make any name, without a trace on the host."""


def ruler(view: dict[bytes, str], path: bytes) -> bytes:
    """The entry that rules `path`: itself, or the nearest one above."""
    while path not in view:
        path = parent(path)
    return path


def access(view: dict[bytes, str], path: bytes) -> str:
    """The access that the command has at `path`."""
    return view[ruler(view, path)]


def access_around(view: dict[bytes, str], path: bytes) -> str:
    """The access that `path` would have without an entry of its own."""
    return access(view, parent(path)) if path != ROOT else HIDDEN


def replaceable(view: dict[bytes, str], path: bytes) -> bool:
    """Whether the command could rename, remove or re-point the name `path`, which takes writing the folder it is in."""
    return path != ROOT and access(view, parent(path)) == RW


def writable_top(view: dict[bytes, str], path: bytes) -> bytes:
    """The topmost folder from which everything down to `path` is writable; `path` lies in a writable folder."""
    top = path
    while replaceable(view, top):
        top = parent(top)
    return top


def below_denied(view: dict[bytes, str], path: bytes) -> bool:
    """Whether a denied folder lies above `path`."""
    return any(view.get(step) == DENY for step in upwards(parent(path))) if path != ROOT else False


def outermost(view: dict[bytes, str]) -> dict[bytes, str]:
    """The view without entries below a denied one, which is denied as a whole (NEST-2)."""
    return {name: kind for name, kind in view.items() if not below_denied(view, name)}


def covered(paths: list[bytes], path: bytes) -> bool:
    """Whether `path` is one of `paths` or lies in one."""
    return any(at_or_below(path, folder) for folder in paths)
