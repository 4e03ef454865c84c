# SPDX-License-Identifier: MIT
"""BIND: a rule acts on what its spelling leads to."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import ca_bundle, conflicts, cwd, linked_home, linked_rules, neighbours, noise, ssh_agent, submounts


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
    yield from linked_home.folders()
    yield from ssh_agent.linked_socket()


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


@judges("BIND-4")
def different_access() -> Iterator[Case]:
    """Several spellings with different access: a deny wins or the policy is refused, and the order has no say."""
    yield from conflicts.against_deny()
    yield from conflicts.read_only_against_writable()
    yield from conflicts.read_only_wins()


@judges("BIND-5")
def the_object_named() -> Iterator[Case]:
    """The object bound is the object named, never a neighbour."""
    yield from neighbours.alike()
    yield from neighbours.decoys()


@judges("BIND-6")
def working_folder() -> Iterator[Case]:
    """A working folder reached through a link works; one that is none is never made."""
    yield from cwd.linked()
    yield from cwd.linked_apart()
    yield from cwd.unusable()


@judges("BIND-7")
def spelling_noise() -> Iterator[Case]:
    """Spelling noise means what the kernel makes of it, or is refused; never another object, never a rule lost."""
    yield from noise.denied()
    yield from noise.denied_after_all()
    yield from noise.allowed()
    yield from noise.writable()


@judges("BIND-8")
def submounts_below() -> Iterator[Case]:
    """A submount below a read-only folder is not writable, one below a denied folder not readable."""
    yield from submounts.below()
