# SPDX-License-Identifier: MIT
"""What the end of a run says of one helper."""

from __future__ import annotations

from attrs import evolve

from boxproof.model.outcome import Verdict
from boxproof.surface.summary import of_helper
from tests.report.reports import FAIL, PASS

GIST = "leak: expected: denied; seen: its token came out"


def test_one_level_is_one_line() -> None:
    assert [*of_helper([PASS, PASS], "alpha", apart=False)] == ["alpha: 2 pass"]


def test_several_levels_are_counted_apart() -> None:
    rows = [PASS, evolve(PASS, level="SHOULD"), evolve(PASS, level="SHOULD", verdict=Verdict.NOT_APPLICABLE)]
    assert [*of_helper(rows, "alpha", apart=False)] == [
        "alpha: 1 not-applicable, 2 pass",
        "  MUST   1 pass",
        "  SHOULD 1 not-applicable, 1 pass",
    ]


def test_several_places_are_counted_apart_and_named() -> None:
    rows = [PASS, evolve(PASS, ground="el9", evidence="layout")]
    assert [*of_helper(rows, "alpha", apart=True)] == ["alpha on host: 1 pass", "alpha on el9: 1 pass"]


def test_the_first_failures_are_told_the_binding_ones_first() -> None:
    rows = [evolve(FAIL, id="MASK-4[a]", level="SHOULD"), *(evolve(FAIL, id=f"MASK-2[{name}]") for name in "abc")]
    assert [*of_helper(rows, "alpha", apart=False)][3:] == [
        f"  MASK-2[a]: {GIST}",
        f"  MASK-2[b]: {GIST}",
        f"  MASK-2[c]: {GIST}",
        "  and 1 more",
    ]


def test_what_is_known_is_no_first_failure() -> None:
    rows = [evolve(FAIL, verdict=Verdict.EXPECTED_FAIL, reason="alpha#1")]
    assert [*of_helper(rows, "alpha", apart=False)] == ["alpha: 1 expected-fail"]
