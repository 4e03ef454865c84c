# SPDX-License-Identifier: MIT
"""NAME: names are taken literally."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import odd_names


@judges("NAME-1")
def odd_characters() -> Iterator[Case]:
    """Names with blanks, quotes, pattern characters and the like are taken literally, or refused."""
    yield from odd_names.denied()
    yield from odd_names.granted()


@judges("NAME-2")
def raw_bytes() -> Iterator[Case]:
    """Names that are not UTF-8 are taken literally, where the policy can carry them."""
    for case in odd_names.raw():
        yield evolve(case, level="SHOULD")
