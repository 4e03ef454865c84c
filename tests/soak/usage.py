# SPDX-License-Identifier: MIT
"""What this process and all below it hold: descriptors, memory, processes, mounts, files in their folder (proc(5))."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from attrs import asdict, frozen

_PAGE_KIB: Final = os.sysconf("SC_PAGE_SIZE") // 1024
_RSS: Final = 1
"""Field of ``/proc/PID/statm``, in pages."""


@frozen
class Usage:
    """What is held at one moment, between two launches.

    Args:
        fds: open descriptors of this process.
        rss_kib: its resident memory.
        blocks: what Python has allocated in it and not freed, garbage collected.
        below_fds: open descriptors of all processes below it, the launchers.
        below_kib: their resident memory.
        processes: how many they are.
        mounts: lines of their mount tables, each mount namespace once.
        inodes: names in the folder for farms.
    """

    fds: int
    rss_kib: int
    blocks: int
    below_fds: int
    below_kib: int
    processes: int
    mounts: int
    inodes: int

    def rows(self) -> Mapping[str, int]:
        """Return the figures by name."""
        return asdict(self)


def usage(base: Path) -> Usage:
    """Return what is held now; `base` is the folder for farms."""
    own, below = os.getpid(), list(descendants())
    gc.collect()
    return Usage(
        fds=_descriptors(own),
        rss_kib=_memory(own),
        blocks=sys.getallocatedblocks(),
        below_fds=sum(map(_descriptors, below)),
        below_kib=sum(map(_memory, below)),
        processes=len(below),
        mounts=sum({os.readlink(f"/proc/{pid}/ns/mnt"): _lines(pid) for pid in below}.values()),
        inodes=sum(len(folders) + len(files) for _, folders, files in os.walk(base)),
    )


def descendants() -> Iterator[int]:
    """Iterate over the processes below this one."""
    todo = [os.getpid()]
    while todo:
        children = Path(f"/proc/{todo[0]}/task/{todo.pop(0)}/children").read_text("ascii").split()
        todo += map(int, children)
        yield from map(int, children)


def grown(first: Usage, last: Usage, room: Mapping[str, float]) -> Mapping[str, int]:
    """Return what has grown from one moment to another by more than the `room` that it has, if any."""
    before, after = first.rows(), last.rows()
    return {name: after[name] - before[name] for name in before if after[name] > before[name] + room.get(name, 0)}


def _descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def _memory(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[_RSS]) * _PAGE_KIB


def _lines(pid: int) -> int:
    return Path(f"/proc/{pid}/mountinfo").read_bytes().count(b"\n")
