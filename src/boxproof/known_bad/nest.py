# SPDX-License-Identifier: MIT
"""Rules inside rules, mounted in the wrong order (NEST-1, NEST-2)."""

from __future__ import annotations

import random

from boxproof.reference.mounts import ordered
from boxproof.reference.paths import at_or_below, depth
from boxproof.reference.view import DENY, RO, RW, below_denied, outermost

from .entry import replaces

OWN = (b"/", b"/proc", b"/dev")
"""Mounts that no rule asks for, which come first even where the rest is out of order."""


def in_order(paths: dict[bytes, list[bytes]], rest: list[bytes]) -> list[bytes]:
    """The mounts that no rule asks for, then the `rest`."""
    return [*(path for path in OWN if path in paths), *(path for path in rest if path not in OWN)]


@replaces(ordered, caught="NEST-1", mimics="anthropic-experimental/sandbox-runtime#263")
def order_sensitive(paths: dict[bytes, list[bytes]]) -> list[bytes]:
    """Rules are mounted in the order of the list."""
    return in_order(paths, list(paths))


@replaces(ordered, caught="NEST-1", mimics="afshinm/zerobox#59")
def children_first(paths: dict[bytes, list[bytes]]) -> list[bytes]:
    """Deep paths are mounted before those above them, which hide them again."""
    return in_order(paths, sorted(paths, key=depth, reverse=True))


@replaces(ordered, caught="NEST-1", mimics="mounts in the order of a hash table")
def flaky_order(paths: dict[bytes, list[bytes]]) -> list[bytes]:
    """Rules are mounted in another order each time."""
    rest = list(paths)
    random.shuffle(rest)
    return in_order(paths, rest)


@replaces(outermost, caught="NEST-2", mimics="openai/codex#43516")
def grant_lifts_denies(view: dict[bytes, str]) -> dict[bytes, str]:
    """A grant below a denied folder lifts that deny, and every deny below the grant."""
    lifting = [name for name, kind in view.items() if kind in (RO, RW) and below_denied(view, name)]
    touched = {name for name in view for grant in lifting if at_or_below(name, grant) or at_or_below(grant, name)}
    return outermost({name: kind for name, kind in view.items() if kind != DENY or name not in touched})
