# SPDX-License-Identifier: MIT
"""What keeps the command from starting until the sandbox has been looked at, and keeps it for ever if that fails.

bwrap reads its ``--seccomp`` descriptor when all mounts are made and all privileges are gone, and goes on only with a
filter: the end of the file, which is all it gets when this process dies, is an error. ``--block-fd`` would be the wrong
gate, because there the end of the file means "go".
"""

from __future__ import annotations

import contextlib
import os
import sys

from .descriptors import inheritable

BPF_RET = 0x06
SECCOMP_RET_ALLOW = 0x7FFF0000


def allow_everything() -> bytes:
    """The shortest filter (seccomp(2)): one ``struct sock_filter`` that lets every system call through."""
    return BPF_RET.to_bytes(2, sys.byteorder) + bytes(2) + SECCOMP_RET_ALLOW.to_bytes(4, sys.byteorder)


class Gate:
    """A pipe that bwrap waits on.

    Attributes:
        is_open: whether the command has been let through.
    """

    __slots__ = ("_reading", "_writing", "is_open")

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        self.is_open = False

    def arguments(self) -> list[bytes]:
        """The arguments that make bwrap wait."""
        return [b"--seccomp", b"%d" % inheritable(self._reading)]

    def hand_over(self) -> None:
        """Leave the reading end to bwrap, which has been started."""
        os.close(self._reading)

    def open(self) -> None:
        """Let the command start; one whose bwrap has just died will not."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._writing, allow_everything())
        os.close(self._writing)
        self.is_open = True
