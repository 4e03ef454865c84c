# SPDX-License-Identifier: MIT
"""Objects of the host, held by descriptor from the moment a name led to them (RACE-1).

bwrap mounts by path, so a descriptor cannot choose what is mounted. It can tell afterwards whether the right thing was:
as long as it is open, no other object gets the same device and inode number.
"""

from __future__ import annotations

import os

from .paths import ROOT, parent, upwards

MOST_KEPT = 64
"""Folders that are kept open, because the next path often starts in one of them."""

FLAGS = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


class Held:
    """One object, and the descriptor that holds it; closed with the last reference.

    Attributes:
        descriptor: opened with O_PATH, so that it neither reads nor blocks.
        mode: type and mode bits (``st_mode``).
        device: of its file system; an overlay has one of its own.
        inode: number of its inode.
    """

    __slots__ = ("descriptor", "device", "inode", "mode", "special")

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        status = os.fstat(descriptor)
        self.mode = status.st_mode
        self.device = status.st_dev
        self.inode = status.st_ino
        self.special = status.st_rdev

    def __del__(self) -> None:
        """Close the descriptor."""
        os.close(self.descriptor)

    def is_same(self, other: Held) -> bool:
        """Whether `other` is the same object."""
        return (self.device, self.inode) == (other.device, other.inode)


class Root:
    """A root folder below which canonical paths are looked up: this process's, or that of another."""

    __slots__ = ("_folders",)

    def __init__(self, path: str = "/") -> None:
        self._folders = {ROOT: Held(os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))}

    def find(self, path: bytes) -> Held:
        """The object at `path`, one component at a time, through no link; `OSError` where there is none.

        openat2(2) could do this in one call, but only by way of `ctypes`, which costs more than it saves.
        """
        if path == ROOT:
            return self._folders[ROOT]
        known = next(step for step in upwards(parent(path)) if step in self._folders)
        here = self._folders[known]
        *between, last = path[len(known) :].lstrip(b"/").split(b"/")
        for name in between:
            here = Held(os.open(name, FLAGS, dir_fd=here.descriptor))
        self._keep(parent(path), here)
        return Held(os.open(last, FLAGS, dir_fd=here.descriptor))

    def _keep(self, path: bytes, folder: Held) -> None:
        if len(self._folders) >= MOST_KEPT:
            self._folders = {ROOT: self._folders[ROOT]}
        self._folders[path] = folder
