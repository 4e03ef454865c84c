# SPDX-License-Identifier: MIT
"""NEST: the most specific rule wins."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import nested_rules


@judges("NEST-1")
def most_specific() -> Iterator[Case]:
    """Inside a wider rule the narrower one holds, in every order of the list and every spelling of either side."""
    yield from nested_rules.pairs()
    yield from nested_rules.pairs_listed()
    yield from nested_rules.triples()
    yield from nested_rules.triples_linked()
    yield from nested_rules.in_workspace()


@judges("NEST-2")
def below_a_deny() -> Iterator[Case]:
    """What an allow below a denied folder does is written down; a deny below that allow is a deny again."""
    yield from nested_rules.allowed_below_denied()
    yield from nested_rules.denied_below_allowed_below_denied()
