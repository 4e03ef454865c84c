# SPDX-License-Identifier: MIT
"""What a user holds outside of files: System V objects, POSIX shared memory and queues, and mounts (sysvipc(7))."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

_SYSTEM_V: Final = ("shm", "sem", "msg")
_POSIX: Final = ("/dev/shm", "/dev/mqueue")  # noqa: S108 - looked at, not used
_ID: Final = 1
_OWNER: Final[Mapping[str, int]] = {"shm": 7, "sem": 4, "msg": 7}
"""Columns of the files below /proc/sysvipc."""


def shared_by(uid: int) -> frozenset[str]:
    """Return the names of the objects that belong to a user, such as ``shm 32769`` and ``/dev/shm/x``."""
    return frozenset([*_system_v(uid), *_posix(uid)])


def mounts_of(process: Path, below: str = "") -> frozenset[str]:
    """Return the mounts that a process sees at or below a path, each as its number, its path and its kind (proc(5)).

    Args:
        process: its folder of /proc.
        below: the path, or ``""`` for all.
    """
    with contextlib.suppress(OSError):
        rows = [line.split() for line in (process / "mountinfo").read_text("utf-8", "replace").splitlines()]
        return frozenset(f"{row[0]} {row[4]} {row[row.index('-') + 1]}" for row in rows if row[4].startswith(below))
    return frozenset()


def _system_v(uid: int) -> Iterator[str]:
    for kind in _SYSTEM_V:
        with contextlib.suppress(OSError):  # a kernel without them
            for line in Path(f"/proc/sysvipc/{kind}").read_text("ascii").splitlines()[1:]:
                words = line.split()
                if words[_OWNER[kind]] == str(uid):
                    yield f"{kind} {words[_ID]}"


def _posix(uid: int) -> Iterator[str]:
    for folder in _POSIX:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.stat(follow_symlinks=False).st_uid == uid:
                    yield entry.path
