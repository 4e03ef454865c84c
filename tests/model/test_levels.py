# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Sequence

import pytest

from boxproof.model.case import Level
from boxproof.model.levels import PROFILES, profile_met
from boxproof.model.outcome import Verdict
from boxproof.model.requirement import Contract, Requirement
from boxproof.model.result import Result

CONTRACT = Contract(
    (
        Requirement("ESC-1", "MUST", "s", "w"),
        Requirement("HOST-4", "SHOULD", "s", "w"),
        Requirement("NEST-2", "RECORD", "s", "w"),
    )
)


def result(
    requirement: str, verdict: Verdict = Verdict.PASS, level: Level | None = None, helper: str = "bwrap"
) -> Result:
    return Result(
        id=f"{requirement}[a]",
        case="a",
        requirement=requirement,
        level=level or CONTRACT[requirement].level,
        helper=helper,
        ground="host",
        evidence="host",
        condition="",
        verdict=verdict,
    )


ALL = (result("ESC-1"), result("HOST-4"), result("NEST-2"))


def reasons(profile: str, results: Sequence[Result], *, partial: bool = False, strict: bool = False) -> tuple[str, ...]:
    met, why = profile_met(PROFILES[profile], CONTRACT, results, partial=partial, strict=strict)
    assert met == (not why)
    return why


def test_the_levels_of_the_profiles() -> None:
    assert {name: profile.levels for name, profile in PROFILES.items()} == {
        "required": ("MUST",),
        "recommended": ("MUST", "SHOULD"),
        "all": ("MUST", "SHOULD", "RECORD"),
    }
    assert all(name == profile.name for name, profile in PROFILES.items())


@pytest.mark.parametrize("profile", tuple(PROFILES))
def test_a_profile_is_met_where_all_of_it_passes(profile: str) -> None:
    assert reasons(profile, ALL) == ()


def test_a_profile_asks_for_its_own_levels_only() -> None:
    assert reasons("required", ALL[:1]) == ()
    assert reasons("recommended", ALL[:1]) == ()
    assert reasons("recommended", ALL[:1], strict=True) == ("HOST-4 was not exercised (no case was run)",)
    assert reasons("all", ALL[:2], strict=True) == ()


@pytest.mark.parametrize("verdict", (Verdict.NOT_APPLICABLE, Verdict.NOT_SELECTED))
def test_what_was_not_exercised_is_not_met(verdict: Verdict) -> None:
    assert reasons("required", [result("ESC-1", verdict)]) == (f"ESC-1 was not exercised ({verdict.value})",)
    assert reasons("required", [result("ESC-1", verdict), result("ESC-1")]) == ()


def test_an_error_exercises_nothing_and_meets_nothing() -> None:
    assert reasons("required", [result("ESC-1", Verdict.ERROR)]) == (
        "ESC-1 was not exercised (error)",
        "ESC-1 has 1 error",
    )
    assert reasons("required", [result("ESC-1", Verdict.ERROR), result("ESC-1")]) == ("ESC-1 has 1 error",)


@pytest.mark.parametrize("verdict", (Verdict.FAIL, Verdict.FLAKY, Verdict.UNEXPECTED_PASS))
def test_a_must_that_failed_is_not_met(verdict: Verdict) -> None:
    wrong = result("ESC-1", verdict)
    assert reasons("required", [wrong, wrong, *ALL]) == (f"ESC-1 has 2 {verdict.value}",)


def test_an_expected_failure_is_accepted() -> None:
    assert reasons("required", [result("ESC-1", Verdict.EXPECTED_FAIL)]) == ()


def test_a_should_that_failed_counts_under_strict_only() -> None:
    results = [*ALL, result("HOST-4", Verdict.FAIL)]
    assert reasons("recommended", results) == ()
    assert reasons("recommended", results, strict=True) == ("HOST-4 has 1 fail",)
    assert reasons("required", results, strict=True) == ()


def test_the_level_of_the_case_counts() -> None:
    results = [*ALL, result("ESC-1", Verdict.FAIL, level="SHOULD")]
    assert reasons("required", results) == ()
    assert reasons("recommended", results, strict=True) == ("ESC-1 has 1 fail",)


def test_a_record_never_fails() -> None:
    assert reasons("all", [*ALL, result("NEST-2", Verdict.FAIL)], strict=True) == ()


def test_a_pass_that_the_baseline_does_not_expect_counts_at_every_level() -> None:
    assert reasons("recommended", [*ALL, result("HOST-4", Verdict.UNEXPECTED_PASS)]) == (
        "HOST-4 has 1 unexpected-pass",
    )


def test_a_part_of_the_suite_meets_no_profile() -> None:
    assert reasons("required", ALL, partial=True) == ("only a part of the suite was run",)


def test_each_helper_stands_for_itself() -> None:
    results = [*ALL, result("ESC-1", Verdict.FAIL, helper="codex")]
    assert reasons("required", results) == ("codex: ESC-1 has 1 fail",)
    assert reasons("recommended", results, strict=True)[0] == "codex: HOST-4 was not exercised (no case was run)"


def test_nothing_meets_no_profile() -> None:
    assert reasons("required", ()) == ("ESC-1 was not exercised (no case was run)",)
