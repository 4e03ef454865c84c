# SPDX-License-Identifier: MIT
"""Denied names that do not exist, or that cannot be looked up (MASK-4, MASK-8)."""

from __future__ import annotations

import contextlib
import errno
import os

from boxproof.reference.missing import IGNORE, RESERVE, fate
from boxproof.reference.mountinfo import Mounts
from boxproof.reference.plan import Plan, make
from boxproof.reference.policyfile import Policy
from boxproof.reference.refusal import Refused, shown
from boxproof.reference.walk import Walk

from .entry import replaces


def make_placeholder(name: bytes) -> None:
    """Make an empty file, and the folders above it."""
    os.makedirs(os.path.dirname(name), exist_ok=True)
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT, 0o644))


@replaces(fate, caught="MASK-4", mimics="CVE-2026-25725")
def drops_missing_deny(way: Walk, view: dict[bytes, str]) -> str:
    """A deny of a name that does not exist is dropped, and the command can make it."""
    return IGNORE if way.error == errno.ENOENT else fate(way, view)


@replaces(fate, caught="MASK-8", related=("MASK-4",), mimics="a deny that cannot be looked up and is dropped")
def drops_unresolvable_deny(way: Walk, view: dict[bytes, str]) -> str:
    """A deny that ends at a loop, a file or an unreadable folder is dropped."""
    return fate(way, view) if way.error == errno.ENOENT else IGNORE


@replaces(fate, caught="MASK-4", mimics="a missing name that is refused")
def refuses_missing_deny(way: Walk, view: dict[bytes, str]) -> str:
    """A deny of a name that the command could make is refused, where it could have been reserved."""
    decision = fate(way, view)
    if decision == RESERVE:
        raise Refused(f"deny {shown(way.spelling)}", "does not exist", "create it")
    return decision


@replaces(make, caught="MASK-4", related=("HOST-1", "HOST-2", "HOST-4"), mimics="openai/codex#18043")
def leaves_placeholder(policy: Policy, mounts: Mounts, tmpdir: bytes) -> Plan:
    """A denied name that does not exist is made on the host as an empty file, and stays there."""
    plan = make(policy, mounts, tmpdir)
    for name in plan.reserved:
        make_placeholder(name)
    plan.reserved.clear()
    return plan


@replaces(fate, caught="MASK-4", mimics="anthropics/claude-code#95529")
def missing_deny_fatal(way: Walk, _view: dict[bytes, str]) -> str:
    """A deny of a name that does not exist is refused, also where nothing could make it."""
    raise Refused(f"deny {shown(way.spelling)}", os.strerror(way.error), "take it out of the list")


@replaces(fate, caught="MASK-4", mimics="nextlevelbuilder/goclaw#1201")
def placeholder_through_link(way: Walk, view: dict[bytes, str]) -> str:
    """What a denied dangling link leads to is made on the host."""
    if way.error == errno.ENOENT and way.links:
        with contextlib.suppress(OSError):
            os.close(os.open(way.spelling, os.O_WRONLY | os.O_CREAT, 0o644))
    return fate(way, view)
