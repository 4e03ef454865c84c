# SPDX-License-Identifier: MIT
"""Known-bad helpers against what is not named for them, and the table without one check after the other.

About 120 helpers and 670 cases are 80,000 runs. So a helper is held against every other requirement that it should
meet, and against one case of each; the next helper against the others, and other cases. Left out are cases that take as
long as dozens. The reference is held against every case by the suite itself. On two processors: ``tox -e known-bad``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest
from attrs import evolve

from boxproof import processing, rounds
from boxproof.judge import Evidence, judge
from boxproof.known_bad.entry import KnownBad
from boxproof.known_bad.table import table
from boxproof.model.case import Case
from boxproof.model.outcome import Judgement, Verdict
from tests.known_bad.bench import Bench, by_any_requirement, by_requirement, of

pytestmark = pytest.mark.crossing

SLOW: Final = "START-5"
"""A thousand rules take as long as a hundred cases: only who is meant is held against them."""
HELPERS: Final = tuple(enumerate(table()))


@pytest.mark.parametrize(("number", "bad"), HELPERS, ids=[bad.name for bad in table()])
def test_it_is_caught_by_nothing_unrelated(bench: Bench, number: int, bad: KnownBad) -> None:
    allowed = {bad.caught, *bad.related, SLOW}
    unrelated = [name for name in every_other(number) if not allowed & {name, name.partition("-")[0]}]
    caught = [bench.catching(bad.name, [one_of(name, number)]) for name in unrelated]
    assert list(filter(None, caught)) == []


def every_other(number: int) -> Sequence[str]:
    """Return the requirements that the helper with this number is held against."""
    return [*by_any_requirement()][number % 2 :: 2]


def one_of(requirement: str, number: int) -> Case:
    """Return the case of a requirement that the helper with this number is held against."""
    quick = [case for case in of(requirement) if is_quick(case)]
    return quick[number // 2 % len(quick)]


def is_quick(case: Case) -> bool:
    """Tell whether a case interrupts one helper at most, and waits for none to hang."""
    return "hangs" not in case.condition and not (case.process and case.process.times > 1)


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

    for module in (rounds, processing):
        monkeypatch.setattr(module, "judge", blind)
    bad = next(bad for bad in table() if bad.caught == requirement)
    # two runs in different order are compared elsewhere
    assert not bench.catching(bad.name, [evolve(case, reorder=False) for case in of(requirement)])
