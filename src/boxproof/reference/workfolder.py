# SPDX-License-Identifier: MIT
"""The folder that overlayfs works in, on the host for a few milliseconds, and what becomes of one left behind (HOST-2).

Each is locked by its maker for as long as it lives. One that nobody has locked was left by a process that was killed,
and the next one that needs such a folder removes it. Only empty folders are ever removed.
"""

from __future__ import annotations

import contextlib
import errno
import os

from .mountinfo import Mounts
from .paths import at_or_below, join, parent

PREFIX = b".boxproof-"
PLACES = (b"/var/tmp", b"/tmp")
"""Where a work folder is tried first; then beside the folder that is covered."""

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class WorkFolder:
    """A folder, and the lock that says that it is in use."""

    __slots__ = ("_lock", "path")

    def __init__(self, path: bytes, lock: int) -> None:
        self.path = path
        self._lock = lock

    def remove(self) -> None:
        """Remove it with what overlayfs put into it, and give up the lock."""
        for leftover in (self.path + b"/work", self.path + b"/index", self.path):
            with contextlib.suppress(OSError):
                os.rmdir(leftover)
        os.close(self._lock)


def make_work_folder(folder: bytes, mounts: Mounts) -> WorkFolder:
    """A new folder on the same mount as `folder` and outside of it; raises `OSError` where there can be none."""
    for place in (*PLACES, parent(folder)):
        if at_or_below(place, folder) or mounts.covering(place) is not mounts.covering(folder):
            continue
        with contextlib.suppress(OSError):
            sweep(place)
            return new(place)
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def new(place: bytes) -> WorkFolder:
    """A new locked folder in `place`."""
    path = join(place, PREFIX + b"%d-%s" % (os.getpid(), os.urandom(4).hex().encode()))
    os.mkdir(path, 0o700)
    work = locked(path)
    if work is None:  # Swept away between the two calls.
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return work


def sweep(place: bytes) -> None:
    """Remove the work folders in `place` that their makers left."""
    for name in os.listdir(place):
        left = locked(join(place, name)) if name.startswith(PREFIX) else None
        if left:
            left.remove()


def locked(path: bytes) -> WorkFolder | None:
    """The work folder at `path` with its lock taken; None if it is another's, another user's, or gone."""
    import fcntl  # noqa: PLC0415 - needed only where names are reserved

    try:
        lock = os.open(path, _FLAGS)
    except OSError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = os.fstat(lock)
        if status.st_uid == os.geteuid() and status.st_nlink:
            return WorkFolder(path, lock)
    os.close(lock)
    return None
