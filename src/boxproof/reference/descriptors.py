# SPDX-License-Identifier: MIT
"""File descriptors: the command gets 0 to 2 exactly as the caller had them, and none beyond (PROC-2, PROC-5)."""

from __future__ import annotations

import os

from .refusal import Refused

STANDARD = (0, 1, 2)


def keep_private() -> None:
    """Let no descriptor beyond 2 pass through an exec, whoever opened it.

    Raises:
        Refused: there is no /proc to find them in.
    """
    try:
        names = os.listdir("/proc/self/fd")
    except OSError as error:
        raise Refused("/proc", "not mounted, so open descriptors are unknown", "mount /proc") from error
    for number in sorted(map(int, names)):
        if number not in STANDARD and is_open(number):
            os.set_inheritable(number, False)  # noqa: FBT003 - positional by definition


def occupy_closed() -> list[int]:
    """Put /dev/null where a standard descriptor is closed, so that nothing opened later lands there; gives which.

    Python opens with O_CLOEXEC, so that bwrap and the command find them closed again.
    """
    closed = [number for number in STANDARD if not is_open(number)]
    for _ in closed:
        os.open("/dev/null", os.O_RDWR)
    return closed


def is_open(number: int) -> bool:
    """Whether a descriptor is open."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def inheritable(number: int) -> int:
    """The same descriptor, which the next program will have too."""
    os.set_inheritable(number, True)  # noqa: FBT003 - positional by definition
    return number
