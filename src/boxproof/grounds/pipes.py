# SPDX-License-Identifier: MIT
"""The pipes between the launcher and a helper, none of which can make the launcher wait.

Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import os
from typing import Final

_CHUNK: Final = 1 << 16
_READS: Final = 64
"""Reads that empty a pipe: it holds 64 KiB, or 1 MiB where its writer raised that as far as it may (pipe(7))."""


class Output:
    """A pipe from the helper: the first `bound` bytes are kept, the rest is counted and dropped.

    Args:
        bound: bytes to keep.
        fd: the reading end of a pipe that is there already, such as a FIFO; a new one is made without.
    """

    def __init__(self, bound: int, fd: int = -1) -> None:
        self.fd, self.helper_end = (fd, -1) if fd >= 0 else os.pipe()
        os.set_blocking(self.fd, False)
        self.dropped = 0
        self._kept = bytearray()
        self._bound = bound

    def carry(self) -> bool:
        """Read once; false where nothing is there, which after a poll means the end."""
        try:
            chunk = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return False
        kept = chunk[: self._bound - len(self._kept)]
        self._kept += kept
        self.dropped += len(chunk) - len(kept)
        return bool(chunk)

    def finish(self) -> bytes:
        """Return what was kept, with what is in the pipe now; whoever still holds the other end is not waited for."""
        reads = 0
        while self.fd >= 0 and reads < _READS and self.carry():
            reads += 1
        self.close()
        return bytes(self._kept)

    def close(self) -> None:
        """Give the launcher's end up."""
        self.fd = _closed(self.fd)


class Input:
    """What the helper reads: ``/dev/null``, or a pipe that is fed with `data`.

    Args:
        data: what to feed.
        feed: whether there is a pipe.
        fd: its writing end where it is there already, such as a FIFO's; a new pipe is made without.
    """

    def __init__(self, data: bytes, *, feed: bool, fd: int = -1) -> None:
        self._unsent = memoryview(data)
        if fd >= 0:
            self.helper_end, self.fd = -1, fd
        elif feed:
            self.helper_end, self.fd = os.pipe()
            os.set_blocking(self.fd, False)
        else:
            self.helper_end, self.fd = os.open(os.devnull, os.O_RDONLY), -1

    def carry(self) -> bool:
        """Write once; false where all is written, or nobody reads."""
        try:
            self._unsent = self._unsent[os.write(self.fd, self._unsent[:_CHUNK]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        return bool(self._unsent)

    def close(self) -> None:
        """Give the launcher's end up, so that the helper reads the end of the file."""
        self.fd = _closed(self.fd)


def _closed(fd: int) -> int:
    if fd >= 0:
        os.close(fd)
    return -1
