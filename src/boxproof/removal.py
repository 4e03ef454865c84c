# SPDX-License-Identifier: MIT
"""Removing what lies below a folder, whatever a helper has made of it, and undoing what probes did.

A folder is emptied by descriptor (openat(2), unlinkat(2)), so that no link is followed that somebody puts there now.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from typing import Final

from boxproof.snapshot import CONTENT_MAX, Difference, Snapshot, differences

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def is_folder(path: str) -> bool:
    """Tell whether there is a folder, and no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def empty(path: str) -> None:
    """Remove what a folder holds, or whatever has been put in its place."""
    if not is_folder(path):
        os.unlink(path)
        return
    os.chmod(path, stat.S_IRWXU)
    try:
        _empty(path, None)
    except PermissionError:
        _open_up(path)
        _empty(path, None)


def remove(path: str) -> None:
    """Remove one name with all below it, also folders that their owner made unreadable."""
    if not is_folder(path):
        os.unlink(path)
        return
    try:
        shutil.rmtree(path)
    except PermissionError:
        _open_up(path)
        shutil.rmtree(path)


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


def _empty(name: str, parent: int | None) -> None:
    folder = os.open(name, _FOLDER, dir_fd=parent)
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    _empty(entry.name, folder)
                    os.rmdir(entry.name, dir_fd=folder)
                else:
                    os.unlink(entry.name, dir_fd=folder)
    finally:
        os.close(folder)


def _open_up(path: str) -> None:
    """Give the owner of every folder back what he took from himself."""
    os.chmod(path, stat.S_IRWXU)
    for folder, names, _ in os.walk(path):
        for inner in (os.path.join(folder, name) for name in names):
            if not os.path.islink(inner):
                os.chmod(inner, stat.S_IRWXU)
