# SPDX-License-Identifier: MIT
"""BIND: a rule acts on what its spelling leads to."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import ca_bundle, linked_rules


@judges("BIND-1")
def through_links() -> Iterator[Case]:
    """A rule spelled through a link works for every link shape."""
    yield from linked_rules.read_only()
    yield from linked_rules.read_only_listed()
    yield from linked_rules.own_spelling()
    yield from linked_rules.writable()
    yield from linked_rules.writable_listed()
    yield from linked_rules.rewritable()
    yield from ca_bundle.one_name()


@judges("BIND-2")
def by_every_spelling() -> Iterator[Case]:
    """Through every spelling that the sandbox shows, the same object is seen, with the rule's access."""
    yield from linked_rules.same_object()
    yield from linked_rules.read_only_by_all()


@judges("BIND-3")
def several_spellings() -> Iterator[Case]:
    """Several spellings of one object with the same access, in any order and repetition, are one rule."""
    yield from linked_rules.pairs()
    yield from linked_rules.pairs_listed()
    yield from linked_rules.writable_pairs()
    yield from linked_rules.repetitions()
    yield from ca_bundle.bundles()
    yield from ca_bundle.bundles_listed()
