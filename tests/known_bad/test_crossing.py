# SPDX-License-Identifier: MIT
"""Known-bad helpers against what is not named for them, and the table without one check after the other.

Half an hour on two processors, so it has an environment of its own: ``tox -e known-bad``.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Final

import pytest
from attrs import evolve

from boxproof import rounds
from boxproof.judge import Evidence, judge
from boxproof.known_bad.entry import KnownBad
from boxproof.known_bad.table import table
from boxproof.model.case import Case
from boxproof.model.outcome import Judgement, Verdict
from tests.known_bad.bench import Bench, by_requirement, of

pytestmark = pytest.mark.crossing

SLOW: Final = "START-5"
"""A thousand rules take as long as a hundred cases: only who is meant is held against them."""
SHARE: Final = 3
"""A helper is held against every third case of a requirement, and the next helper against others."""


def test_the_reference_is_caught_by_none(bench: Bench) -> None:
    assert [bench.catching("", cases) for cases in by_requirement().values()] == [""] * len(by_requirement())


@pytest.mark.parametrize("bad", table(), ids=operator.attrgetter("name"))
def test_it_is_caught_by_nothing_unrelated(bench: Bench, bad: KnownBad) -> None:
    allowed = {bad.caught, *bad.related, SLOW}
    unrelated = [name for name in by_requirement() if not allowed & {name, name.partition("-")[0]}]
    number = table().index(bad)
    assert [bench.catching(bad.name, share(name, number)) for name in unrelated] == [""] * len(unrelated)


def share(requirement: str, number: int) -> Sequence[Case]:
    """Return the cases of a requirement that the helper with this number is held against, at least one."""
    return of(requirement)[number % SHARE :: SHARE] or of(requirement)


@pytest.mark.parametrize("requirement", by_requirement())
def test_every_case_is_failed_by_some_helper(bench: Bench, requirement: str) -> None:
    passed = of(requirement)
    for bad in sorted(table(), key=lambda bad: bad.caught != requirement):
        if {bad.caught, *bad.related} & {requirement, requirement.partition("-")[0]}:
            passed = [case for case in passed if not bench.catching(bad.name, [case])]
    assert [case.name for case in passed] == []


@pytest.mark.parametrize("requirement", by_requirement())
def test_without_its_check_a_helper_is_missed(bench: Bench, monkeypatch: pytest.MonkeyPatch, requirement: str) -> None:
    def blind(evidence: Evidence) -> Judgement:
        return Judgement(Verdict.PASS) if evidence.case.requirement == requirement else judge(evidence)

    monkeypatch.setattr(rounds, "judge", blind)
    bad = next(bad for bad in table() if bad.caught == requirement)
    # two runs in different order are compared elsewhere
    assert not bench.catching(bad.name, [evolve(case, reorder=False) for case in of(requirement)])
