# SPDX-License-Identifier: MIT
"""A denied name that does not exist (MASK-4): ignored, masked, reserved or refused. Pure.

It matters only whether the command could make the name. Where nothing of the host is writable it cannot, and the rule
holds by itself.
"""

from __future__ import annotations

import errno

from .paths import join
from .refusal import Refused, shown
from .view import MADE_INSIDE, RW, access, access_around, replaceable
from .walk import Walk

IGNORE = "ignore"
MASK = "mask"
RESERVE = "reserve"

MAX_NAME = 255
"""Longest name, in bytes, that any folder can hold (NAME_MAX)."""


def fate(way: Walk, view: dict[bytes, str]) -> str:
    """What becomes of a deny whose walk failed: IGNORE, MASK (in a folder of the sandbox's own) or RESERVE.

    Raises:
        Refused: the command could make the name, or make the spelling lead to something, and nothing can stop it.
    """
    names = [name for name in way.rest if name not in (b"", b".")]
    if (
        way.error == errno.ENOENT
        and b".." not in names
        and access(view, join(way.real, b"/".join(names))) in MADE_INSIDE
    ):
        return MASK
    for link, _ in way.links:
        if replaceable(view, link):
            raise _refusal(way, f"crosses {shown(link)}, a link that the command can rewrite")
    if not can_come_into_being(way, names, view):
        return IGNORE
    if way.error == errno.ENOENT and b".." not in names:
        return RESERVE
    raise _refusal(way, _reason(way))


def can_come_into_being(way: Walk, names: list[bytes], view: dict[bytes, str]) -> bool:
    """Whether the command could make the spelling lead to something, with no link of its way being rewritable."""
    if any(len(name) > MAX_NAME for name in names):
        return False
    if way.error == errno.ENOTDIR:
        return access_around(view, way.real) == RW
    if way.error in (errno.ENOENT, errno.EACCES):
        return access(view, way.real) == RW
    return way.error != errno.ELOOP


def _reason(way: Walk) -> str:
    where = shown(way.real)
    return {
        errno.ENOENT: f"climbs out of a missing folder in {where}, which is writable",
        errno.ENOTDIR: f"{where} is no folder, but the command can put one there",
        errno.EACCES: f"{where} is unreadable, but the command can change its mode",
        errno.ENAMETOOLONG: "longer than the kernel takes, so that what it means is unknown",
    }.get(way.error, f"cannot be looked up below {where}")


def _refusal(way: Walk, why: str) -> Refused:
    return Refused(f"deny {shown(way.spelling)}", why, "deny the folder that holds it, or make that read-only")
