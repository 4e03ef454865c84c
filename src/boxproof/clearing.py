# SPDX-License-Identifier: MIT
"""Folders emptied whatever a helper has made of them: unreadable, immutable, deeper than a path can be long.

All is done by descriptor (openat(2), unlinkat(2)), so that no link is followed that somebody puts there now. Two
descriptors do for any depth: what an inner folder holds is moved into the outermost one.
Part of the launcher too: standard library only, Python 3.9.
"""

from __future__ import annotations

import array
import contextlib
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, Optional

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# <linux/fs.h>; the numbers speak of a long, and the kernel takes an int (ioctl_iflags(2))
_GET_FLAGS: Final = 0x80086601
_SET_FLAGS: Final = 0x40086602
_KEPT: Final = 0x10 | 0x20
"""``FS_IMMUTABLE_FL`` and ``FS_APPEND_FL``, which root alone can set and take away."""


def empty_folder(path: str) -> None:
    """Remove all that a folder holds.

    Raises:
        OSError: where `path` is no folder, or what it holds is not the caller's to remove.
    """
    with _opened(path) as top:
        waiting = _without_files(top)
        while waiting:
            name = waiting.pop()
            with _opened(name, top) as folder:
                for inner in _without_files(folder):
                    waiting.append(f".cleared-{os.urandom(8).hex()}")
                    move = partial(os.rename, inner, waiting[-1], src_dir_fd=folder, dst_dir_fd=top)
                    _insist(move, inner, folder)
            _insist(partial(os.rmdir, name, dir_fd=top), name, top)


def remove_folder(path: str) -> None:
    """Remove a folder and all that it holds.

    Raises:
        OSError: as `empty_folder`.
    """
    empty_folder(path)
    try:
        os.rmdir(path)
    except PermissionError:
        _free(path)
        os.rmdir(path)


def _without_files(folder: int) -> list[str]:
    """Remove from a folder all but the folders in it, and return their names."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                _insist(partial(os.unlink, entry.name, dir_fd=folder), entry.name, folder)
    return folders


def _insist(act: Callable[[], None], name: str, folder: int) -> None:
    """Do something to a name in a folder; where that is refused, once more with nothing in the way."""
    try:
        act()
    except PermissionError:
        _free(".", folder)
        _free(name, folder)
        act()


@contextlib.contextmanager
def _opened(name: str, folder: Optional[int] = None) -> Iterator[int]:  # noqa: UP045 - Python 3.9
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=folder)
    except PermissionError:
        _free(name, folder)
        descriptor = os.open(name, _FOLDER, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _free(name: str, folder: Optional[int] = None) -> None:  # noqa: UP045
    """Take flags from a file or folder that keep it as it is, and give a folder's owner what he took from himself."""
    held = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        mode = os.fstat(held).st_mode
        if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
            with contextlib.suppress(OSError):  # not a file system with flags, or not ours to open: then none are set
                _clear_flags(f"/proc/self/fd/{held}")
        if stat.S_ISDIR(mode):
            os.chmod(f"/proc/self/fd/{held}", stat.S_IRWXU)
    finally:
        os.close(held)


def _clear_flags(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        flags = array.array("i", [0])
        fcntl.ioctl(descriptor, _GET_FLAGS, flags)
        if flags[0] & _KEPT:
            flags[0] &= ~_KEPT
            fcntl.ioctl(descriptor, _SET_FLAGS, flags)
    finally:
        os.close(descriptor)
