# SPDX-License-Identifier: MIT
"""Rules whose spelling was followed on the host, and which of them lead nowhere."""

from __future__ import annotations

import errno

from .policyfile import Rule
from .view import DENY, RO, RW, access
from .walk import Walk, reached, walk


class Found:
    """A rule whose spelling was followed: its access, and where it leads."""

    __slots__ = ("access", "walk")

    def __init__(self, walked: Walk, access: str) -> None:
        self.walk = walked
        self.access = access


def resolve(rule: Rule) -> Found:
    """Follow a rule's spelling on the host."""
    way = walk(rule.path)
    if rule.access == DENY and names_a_file_as_folder(way):
        way = reached(way)
    return Found(way, rule.access)


def destination(found: Found) -> bytes:
    """Where a rule is put in force: the canonical path of what it leads to, never its spelling (BIND-1, MASK-2)."""
    return found.walk.real


def names_a_file_as_folder(way: Walk) -> bool:
    """Whether only a closing ``/`` or ``/.`` keeps a walk from a file: the kernel finds nothing, a user means the file.

    An allow spelled so is dropped, a deny masks the file (BIND-7).
    """
    return way.error == errno.ENOTDIR and all(name in (b"", b".") for name in way.rest)


def leads_somewhere(found: Found) -> bool:
    """Whether a rule names an object. An ro or rw rule that does not is dropped: less access is safe (START-2, 3)."""
    return not found.walk.error


def blocked_but_writable(found: Found, view: dict[bytes, str]) -> bool:
    """Whether an ro rule ends at an unreadable folder that the command could make readable (START-2)."""
    unreadable = found.access == RO and found.walk.error == errno.EACCES
    return unreadable and access(view, found.walk.real) == RW


def rule_for_blocked_folder(found: Found) -> Found:
    """What takes the place of a rule behind an unreadable folder: that folder itself is read-only."""
    return Found(reached(found.walk), found.access)
