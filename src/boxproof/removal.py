# SPDX-License-Identifier: MIT
"""Removing what lies below a folder, and undoing what probes did."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from boxproof.clearing import empty_folder, remove_folder
from boxproof.snapshot import CONTENT_MAX, Difference, Snapshot, differences


def is_folder(path: str) -> bool:
    """Tell whether there is a folder, and no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def empty(path: str) -> None:
    """Remove what a folder holds, or whatever has been put in its place; nothing to do where nothing is there."""
    if is_folder(path):
        empty_folder(path)
    elif os.path.lexists(path):
        os.unlink(path)


def remove(path: str) -> None:
    """Remove one name with all below it."""
    if is_folder(path):
        remove_folder(path)
    else:
        os.unlink(path)


def undo(before: Snapshot, after: Snapshot) -> bool:
    """Remove the names that are new since `before`, and write the old bytes and times of files that were written.

    Return false where more than that is different `after`, or it cannot be undone.
    """
    changes = differences(before, after)
    if not all(_can_be_undone(change, before) for change in changes):
        return False
    with suppress(OSError):
        for change in reversed(changes):
            _undo(change, before)
        return True
    return False


def write(descriptor: int, content: bytes) -> None:
    """Write all of `content`."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _can_be_undone(change: Difference, before: Snapshot) -> bool:
    """Tell whether a name is new, or a file differs in nothing but what writing to it changes."""
    old = before.get(change.path)
    if old is None:
        return True
    whole = old.kind == "file" and len(old.content) < CONTENT_MAX
    return change.change == "changed" and whole and set(change.aspect.split(", ")) <= {"bytes", "time"}


def _undo(change: Difference, before: Snapshot) -> None:
    if change.change == "added":
        remove(change.path)
        return
    old = before[change.path]
    descriptor = os.open(change.path, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        write(descriptor, old.content)
        os.utime(descriptor, ns=(old.modified, old.modified))
    finally:
        os.close(descriptor)
