# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import pytest

from boxproof.model.case import Case
from boxproof.model.outcome import Kind, Verdict
from boxproof.reducing.believe import Attempt, Belief, Fault, believe, still
from tests.reducing.helpers import make

CASE = make("ws/", "rw ws")
NO_START = Fault("MASK-2", "no-start")


def attempts(pattern: str, kind: Kind = "no-start") -> Attempt:
    """Return attempts that fail where the pattern, repeated for ever, has an ``x``."""
    outcomes: Iterator[str] = cycle(pattern)
    return lambda _: frozenset({Fault("MASK-2", kind)} if next(outcomes) == "x" else ())


@pytest.mark.parametrize(
    ("pattern", "words", "verdict"),
    (
        ("x", "failed 5 of 5", Verdict.FAIL),
        (".", "failed 0 of 5", Verdict.PASS),
        ("x.", "failed 10 of 20", Verdict.FLAKY),
        ("x....", "failed 4 of 20", Verdict.FLAKY),
    ),
)
def test_a_failure_is_repeated_before_it_is_believed(pattern: str, words: str, verdict: Verdict) -> None:
    belief = believe(CASE, attempts(pattern))
    assert (belief.words(NO_START), belief.verdict(NO_START)) == (words, verdict)


@pytest.mark.parametrize("kind", ("leak", "escape", "unsandboxed"))
def test_a_leak_now_and_then_is_a_leak(kind: Kind) -> None:
    assert believe(CASE, attempts("x...", kind)).verdict(Fault("MASK-2", kind)) is Verdict.FAIL


@pytest.mark.parametrize(
    ("failed", "needed"), ((20, 1), (0, 1), (19, 2), (15, 4), (10, 7), (9, 8), (4, 21), (1, 30)), ids=str
)
def test_the_rarer_a_failure_the_more_runs_tell(failed: int, needed: int) -> None:
    assert Belief(20, {NO_START: failed}).needed(NO_START) == needed


def test_still_fails_is_any_of_the_runs() -> None:
    assert still(attempts("..x"), NO_START, 3)(CASE)
    assert not still(attempts("..x"), NO_START, 2)(CASE)


def test_another_fault_is_not_the_same_failure() -> None:
    assert not still(attempts("x", "hang"), NO_START, 3)(CASE)


def test_no_more_is_launched_once_it_has_failed() -> None:
    asked: list[Case] = []

    def attempt(case: Case) -> frozenset[Fault]:
        asked.append(case)
        return frozenset({NO_START})

    still(attempt, NO_START, 10)(CASE)
    assert len(asked) == 1
