# SPDX-License-Identifier: MIT
"""Paths that change hands between the policy and the command (RACE-1)."""

from __future__ import annotations

from boxproof.reference.held import Held, Root
from boxproof.reference.plan import Plan
from boxproof.reference.verify import check, still_named

from .entry import replaces


@replaces(check, caught="RACE-1", mimics="RyderFreeman4Logos/cli-sub-agent#3102")
def never_verified(_process: int, _plan: Plan, *, network: bool) -> None:
    """What bwrap has mounted is not looked at."""
    del network


@replaces(still_named, caught="RACE-1", mimics="rootless-containers/rootlesskit#4")
def moved_deny_unnoticed(_outside: Root, _path: bytes, _held: Held) -> None:
    """A denied object that was renamed before bwrap masked its old name is readable by the new one."""
