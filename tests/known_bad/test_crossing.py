# SPDX-License-Identifier: MIT
"""Every known-bad helper against every hand-written case: caught by what is named for it, and by nothing unrelated.

Half an hour on two processors, so it has an environment of its own: ``tox -e known-bad``.
"""

from __future__ import annotations

import operator

import pytest

from boxproof.known_bad.entry import KnownBad
from boxproof.known_bad.table import table
from tests.known_bad.bench import Bench, by_requirement

pytestmark = pytest.mark.crossing


def catching(bench: Bench, name: str) -> dict[str, str]:
    """Return the requirements that catch a helper, each with its first case that does."""
    found = {requirement: bench.catching(name, cases) for requirement, cases in by_requirement().items()}
    return {requirement: case for requirement, case in found.items() if case}


def test_the_reference_is_caught_by_none(bench: Bench) -> None:
    assert catching(bench, "") == {}


@pytest.mark.parametrize("bad", table(), ids=operator.attrgetter("name"))
def test_it_is_caught_by_nothing_unrelated(bench: Bench, bad: KnownBad) -> None:
    allowed = {bad.caught, *bad.related}
    unrelated = {
        requirement: case
        for requirement, case in catching(bench, bad.name).items()
        if not allowed & {requirement, requirement.partition("-")[0]}
    }
    assert unrelated == {}
