# SPDX-License-Identifier: MIT
"""What is refused: rules that could not be enforced, or not for long. Each function raises `Refused` or nothing."""

from __future__ import annotations

import errno
import os

from .mountinfo import Mounts
from .paths import ROOT, at_or_below
from .refusal import Refused, shown
from .resolve import Found
from .view import DENY, HIDDEN, RW, SHOWS_HOST, access, replaceable, writable_top
from .walk import MAX_PATH, Walk


def whole_root(view: dict[bytes, str]) -> None:
    """A deny of the root, by whatever name, leaves nothing to run in (MASK-8)."""
    if view[ROOT] == DENY:
        raise Refused("deny /", "no command can run without a root", "deny what is to be hidden")


def unsteady_rule(found: Found, view: dict[bytes, str]) -> None:
    """A rule whose spelling the command could make lead elsewhere, for its own run or the next (MASK-5, ESC-4)."""
    way = found.walk
    for link, _ in way.links:
        if replaceable(view, link):
            why = f"crosses {shown(link)}, a link that the command can rewrite"
            raise Refused(f"{found.access} {shown(way.spelling)}", why, f"name {shown(way.real)} instead")
    for folder in way.folders:
        if at_or_below(way.real, folder):
            continue
        if replaceable(view, folder) and not at_or_below(way.real, writable_top(view, folder)):
            why = f"climbs out of {shown(folder)}, a folder that the command can replace"
            raise Refused(f"{found.access} {shown(way.spelling)}", why, f"name {shown(way.real)} instead")


def long_path(found: Found) -> None:
    """An object whose canonical path is longer than any system call takes: nothing can be mounted there."""
    way = found.walk
    if len(way.real) >= MAX_PATH:
        raise Refused(f"{found.access} {shown(way.spelling)}", "its real path is too long", "name a folder above it")


def cwd(way: Walk, view: dict[bytes, str]) -> None:
    """A working folder that is none, or is not shown (BIND-6). It may cross any link, because it grants nothing."""
    name = f"cwd {shown(way.spelling)}"
    if way.error:
        raise Refused(name, os.strerror(way.error), "give an existing folder")
    if not way.is_folder:
        raise Refused(name, os.strerror(errno.ENOTDIR), "give a folder")
    kind = access(view, way.real)
    if kind == DENY:
        raise Refused(name, "the policy denies it", "give a folder that the command may read")
    if kind == HIDDEN or (kind not in SHOWS_HOST and way.real not in view):
        raise Refused(name, "the policy does not show it", "add a rule for it")


def unreservable(way: Walk, view: dict[bytes, str], mounts: Mounts) -> None:
    """A missing name that an overlay over its folder would not keep from being made everywhere (MASK-4)."""
    folder, name = way.real, f"deny {shown(way.spelling)}"
    inside = mounts.below(folder)
    if inside:
        raise Refused(
            name, f"a mount at {shown(inside[0])} would vanish under the overlay", "create the name, or deny its folder"
        )
    others = [other for other in mounts.names(folder) if other != folder and access(view, other) == RW]
    if others:
        raise Refused(name, f"its folder is also writable as {shown(others[0])}", "grant only one of them")


def writable_program(way: Walk, view: dict[bytes, str]) -> None:
    """A bwrap that the command could replace, so that the next run would execute it (FALL-7)."""
    for path in [way.real, *way.folders, *(link for link, _ in way.links)]:
        if access(view, path) == RW:
            why = f"the policy makes {shown(path)} writable"
            raise Refused(f"bwrap {shown(way.spelling)}", why, "use one outside the writable folders")
