# SPDX-License-Identifier: MIT
"""MASK: denied is denied."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import deny_alias


@judges("MASK-1")
def not_readable_not_writable() -> Iterator[Case]:
    """Denied content is neither readable nor writable, whatever spelling the deny, the allow and the probe use."""
    yield from deny_alias.denied_by_link()
    yield from deny_alias.denied_by_itself()
    yield from deny_alias.denied_by_third()
    yield from deny_alias.denied_in_workspace()


@judges("MASK-2")
def several_spellings() -> Iterator[Case]:
    """Several spellings of one denied object, in any order, start and are denied."""
    yield from deny_alias.alias_pairs()
    yield from deny_alias.alias_groups()
    yield from deny_alias.link_within()
    yield from deny_alias.many()


@judges("MASK-6")
def below_a_folder() -> Iterator[Case]:
    """Nothing below a denied folder is readable by any spelling, chain or '..'."""
    yield from deny_alias.denied_folder()
