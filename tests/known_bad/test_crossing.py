# SPDX-License-Identifier: MIT
"""Every known-bad helper against every hand-written case: caught by what is named for it, and by nothing unrelated.

Half an hour on two processors, so it has an environment of its own: ``tox -e known-bad``.
"""

from __future__ import annotations

import operator

import pytest
from attrs import evolve

from boxproof import rounds
from boxproof.judge import Evidence, judge
from boxproof.known_bad.entry import KnownBad
from boxproof.known_bad.table import table
from boxproof.model.outcome import Judgement, Verdict
from tests.known_bad.bench import Bench, by_requirement, of

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


@pytest.mark.parametrize("requirement", by_requirement())
def test_without_its_check_a_helper_is_missed(bench: Bench, monkeypatch: pytest.MonkeyPatch, requirement: str) -> None:
    def blind(evidence: Evidence) -> Judgement:
        return Judgement(Verdict.PASS) if evidence.case.requirement == requirement else judge(evidence)

    monkeypatch.setattr(rounds, "judge", blind)
    bad = next(bad for bad in table() if bad.caught == requirement)
    # two runs in different order are compared elsewhere
    assert not bench.catching(bad.name, [evolve(case, reorder=False) for case in of(requirement)])
