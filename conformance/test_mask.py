# SPDX-License-Identifier: MIT
"""MASK: denied is denied."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import attacks, deny_alias, hard_links, linked_home, missing, submounts, unenforceable, writable_links


@judges("MASK-1")
def not_readable_not_writable() -> Iterator[Case]:
    """Denied content is neither readable nor writable, whatever spelling the deny, the allow and the probe use."""
    yield from deny_alias.denied_by_link()
    yield from deny_alias.denied_by_itself()
    yield from deny_alias.denied_by_third()
    yield from deny_alias.denied_in_workspace()
    yield from linked_home.denied()


@judges("MASK-2")
def several_spellings() -> Iterator[Case]:
    """Several spellings of one denied object, in any order, start and are denied."""
    yield from deny_alias.alias_pairs()
    yield from deny_alias.alias_groups()
    yield from deny_alias.link_within()
    yield from deny_alias.many()


@judges("MASK-3")
def names_of_one_inode() -> Iterator[Case]:
    """Denying all names of a file denies it; a rule on one name takes nothing from a rule on another."""
    yield from hard_links.all_names()
    yield from hard_links.all_names_in_workspace()
    yield from hard_links.apart()
    yield from hard_links.some_names()


@judges("MASK-4")
def missing_names() -> Iterator[Case]:
    """A denied name that does not exist stays impossible to make, and never appears on the host."""
    yield from missing.out_of_reach()
    yield from missing.in_reach()
    yield from missing.in_reach_oddly()


@judges("MASK-5")
def rewritable_links() -> Iterator[Case]:
    """A rule that crosses a rewritable link is refused, or holds on what it named at launch."""
    yield from writable_links.denied()
    yield from writable_links.read_only()


@judges("MASK-6")
def below_a_folder() -> Iterator[Case]:
    """Nothing below a denied folder is readable by any spelling, chain or '..'."""
    yield from deny_alias.denied_folder()


@judges("MASK-7")
def attacks_from_inside() -> Iterator[Case]:
    """No sequence of rename, link, exchange or copy from inside yields denied content, inside or afterwards."""
    yield from attacks.on_denied()
    yield from attacks.on_denied_parent()


@judges("MASK-8")
def hard_to_enforce() -> Iterator[Case]:
    """A deny that a helper cannot enforce is refused, never dropped."""
    yield from unenforceable.objects()
    yield from unenforceable.in_workspace()


@judges("MASK-9")
def mounted_twice() -> Iterator[Case]:
    """A second mount of the same folder is a spelling: denied or read-only under both."""
    yield from submounts.twice()
