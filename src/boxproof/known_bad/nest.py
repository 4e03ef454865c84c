# SPDX-License-Identifier: MIT
"""Rules inside rules, mounted in the wrong order (NEST-1, NEST-2)."""

from __future__ import annotations

import random

from boxproof.reference.paths import at_or_below, depth
from boxproof.reference.plan import Object, lay_out
from boxproof.reference.view import DENY, RO, RW, below_denied, outermost

from .entry import replaces


def still_seen(objects: list[Object]) -> list[Object]:
    """What is left when objects are mounted in this order: one that comes later hides what lies in it."""

    def is_hidden(number: int) -> bool:
        return any(at_or_below(objects[number].led_to[0], other.led_to[0]) for other in objects[number + 1 :])

    return [thing for number, thing in enumerate(objects) if not is_hidden(number)]


@replaces(lay_out, caught="NEST-1", mimics="anthropic-experimental/sandbox-runtime#263")
def order_sensitive(base: dict[bytes, str], objects: list[Object]) -> dict[bytes, str]:
    """Rules are mounted in the order of the list."""
    return lay_out(base, still_seen(objects))


@replaces(
    lay_out,
    caught="NEST-1",
    related=("START-1", "START-2", "BIND-2", "BIND-8", "MASK", "ESC-3", "ESC-4", "HOST"),
    mimics="openai/codex#43516",
)
def children_first(base: dict[bytes, str], objects: list[Object]) -> dict[bytes, str]:
    """Deep paths are mounted before those above them, which hide them again."""
    return lay_out(base, still_seen(sorted(objects, key=lambda thing: -depth(thing.led_to[0]))))


@replaces(
    lay_out,
    caught="NEST-1",
    related=("START-1", "START-2", "BIND-2", "BIND-8", "MASK", "ESC-3", "ESC-4", "HOST"),
    mimics="mounts in the order of a hash table",
)
def flaky_order(base: dict[bytes, str], objects: list[Object]) -> dict[bytes, str]:
    """Rules are mounted in another order each time."""
    return lay_out(base, still_seen(random.sample(objects, len(objects))))


@replaces(outermost, caught="NEST-2", mimics="fencesandbox/fence#204")
def grant_lifts_denies(view: dict[bytes, str]) -> dict[bytes, str]:
    """A grant below a denied folder lifts that deny, and every deny below the grant."""
    lifting = [name for name, kind in view.items() if kind in (RO, RW) and below_denied(view, name)]
    touched = {name for name in view for grant in lifting if at_or_below(name, grant) or at_or_below(grant, name)}
    return outermost({name: kind for name, kind in view.items() if kind != DENY or name not in touched})
