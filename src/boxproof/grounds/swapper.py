# SPDX-License-Identifier: MIT
"""Two names that change places again and again, at seeded moments, while a helper runs (renameat2(2))."""

from __future__ import annotations

import ctypes
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from boxproof.errors import GroundError
from boxproof.grounds.kernel import error_name

_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2
_PAUSE_SECONDS: Final = 0.002
"""The longest pause between two exchanges; a start takes some tens of milliseconds."""


@contextmanager
def swapping(one: str, other: str, seed: str) -> Iterator[None]:
    """Exchange `one` and `other` until the end of the block, which leaves them in either order.

    Raises:
        GroundError: where the kernel or the file system cannot exchange two names.
    """
    exchange(one, other)
    exchange(one, other)
    over = Event()
    thread = Thread(target=_swap, args=(one, other, random.Random(seed), over), daemon=True)  # noqa: S311 - no secret
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def exchange(one: str, other: str) -> None:
    """Exchange two names in one step.

    Raises:
        GroundError: where the kernel or the file system cannot.
    """
    if error := _exchange(one, other):
        raise GroundError("two names of the farm cannot change places", cause=error_name(error))


def _swap(one: str, other: str, moments: random.Random, over: Event) -> None:
    while not over.wait(moments.uniform(0, _PAUSE_SECONDS)):
        if _exchange(one, other):  # what is allowed inside took a name away
            return


def _exchange(one: str, other: str) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    done = libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)
    return ctypes.get_errno() if done else 0
