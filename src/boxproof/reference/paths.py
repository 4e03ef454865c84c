# SPDX-License-Identifier: MIT
"""Arithmetic on canonical paths: absolute, no links, no ``.`` or ``..``, no doubled or trailing slash. Pure.

Paths are bytes from end to end, because that is what the kernel takes: a name need not be UTF-8.
"""

from __future__ import annotations

ROOT = b"/"


def parent(path: bytes) -> bytes:
    """The folder that holds `path`; the root is its own parent."""
    return path.rpartition(b"/")[0] or ROOT


def join(folder: bytes, name: bytes) -> bytes:
    """The path of `name` (one name, or several with slashes) in `folder`."""
    return ROOT + name if folder == ROOT else folder + b"/" + name


def depth(path: bytes) -> int:
    """How many names lead from the root to `path`; 0 for the root."""
    return 0 if path == ROOT else path.count(b"/")


def at_or_below(path: bytes, folder: bytes) -> bool:
    """Whether `path` is `folder` or lies in it."""
    return folder in (path, ROOT) or path.startswith(folder + b"/")


def upwards(path: bytes) -> list[bytes]:
    """`path`, then each folder above it, the root last."""
    way = [path]
    while path != ROOT:
        path = parent(path)
        way.append(path)
    return way
