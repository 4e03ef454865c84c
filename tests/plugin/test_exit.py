# SPDX-License-Identifier: MIT
"""Verdicts in pytest's terms, and the exit status: 0 only where the profile is met."""

from __future__ import annotations

import pytest

from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import BARE, CAPABILITIES, GOOD, Suite

UNSANDBOXED = BARE + 'exec "$@"'
REFUSES = "echo 'no user namespaces here' >&2; exit 1"
NO_CONTROL = case_text("no-control", probes=["read store/none: denied"])


def test_a_met_profile_is_0(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(GOOD)
    assert (ran.status, ran.verdicts) == (0, {"MASK-1[plain]": "pass"})
    assert ran.report["run"]["met"] is True
    assert "profile recommended: met" in ran.out


def test_a_must_that_fails_is_1(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(UNSANDBOXED)
    assert (ran.status, ran.row["verdict"], ran.kinds[0]) == (1, "fail", "unsandboxed")
    assert ran.report["run"]["met"] is False
    assert "MASK-1 has 1 fail" in ran.out


@pytest.mark.parametrize(("strict", "status"), (((), 0), (("--strict",), 1)), ids=["reported", "strict"])
def test_a_should_fails_the_run_only_if_asked_to(suite: Suite, strict: tuple[str, ...], status: int) -> None:
    text = case_text(requirement="CONF-1", level="SHOULD")
    suite.write(module_text(text, requirement="CONF-1"), "test_conf.py")
    ran = suite.drive(UNSANDBOXED, "-ra", *strict)
    assert (ran.status, ran.row["verdict"]) == (status, "fail")
    assert "unsandboxed, leak, escape" in ran.out
    assert f"case file: {ran.row['case_file']}\nreplay: {ran.row['replay']}\n" in ran.out
    assert ran.report["run"]["options"]["strict"] is bool(strict)


def test_a_record_never_fails_the_run(suite: Suite) -> None:
    suite.write(module_text(case_text("must"), case_text("record", level="RECORD")), "test_mask.py")
    ran = suite.drive(GOOD, "--profile=all", "--strict")
    assert (ran.status, len(ran.rows)) == (0, 2)
    suite.write(module_text(case_text(requirement="NEST-2", level="RECORD"), requirement="NEST-2"), "test_mask.py")
    ran = suite.drive(UNSANDBOXED, "--profile=all", "--strict")
    assert (ran.status, ran.row["verdict"]) == (0, "fail")


def test_what_the_helper_does_not_claim_is_skipped_and_said(suite: Suite) -> None:
    suite.write(module_text(case_text(), case_text("open", rules=["rw ws"])), "test_mask.py")
    adapter = suite.adapter(capabilities=[word for word in CAPABILITIES if word != "deny"])
    ran = suite.drive(GOOD, f"--adapter={adapter}", "-rs")
    assert (ran.status, ran.verdicts) == (0, {"MASK-1[open]": "pass", "MASK-1[plain]": "not-applicable"})
    assert "does not claim deny" in ran.rows["MASK-1[plain]"]["reason"]
    assert "not applicable: standin-standin does not claim deny" in ran.out
    assert "1 passed, 1 skipped" in ran.out


@pytest.mark.parametrize("part", ((), ("-k", "plain")), ids=["all", "part"])
def test_a_run_that_exercised_nothing_is_not_0(suite: Suite, part: tuple[str, ...]) -> None:
    suite.write(case_text(), "cases/one.toml")
    suite.adapter(capabilities=[word for word in CAPABILITIES if word != "deny"])
    ran = suite.drive(GOOD, *part)
    assert (ran.status, ran.row["verdict"]) == (1, "not-applicable")
    assert ran.report["run"]["met"] is False


def test_one_requirement_that_nobody_exercised_is_not_0(suite: Suite) -> None:
    suite.write(module_text(case_text("open", rules=["rw ws"])), "test_mask.py")
    suite.write(module_text(case_text(), requirement="MASK-6"), "test_more.py")
    suite.adapter(capabilities=[word for word in CAPABILITIES if word != "deny"])
    ran = suite.drive(GOOD)
    assert ran.status == 1
    assert "MASK-6 was not exercised (not-applicable)" in ran.report["run"]["unmet"]


def test_a_part_of_the_suite_meets_no_profile(suite: Suite) -> None:
    suite.write(module_text(case_text(), case_text("other")), "test_mask.py")
    ran = suite.drive(GOOD, "-k", "other")
    assert (ran.status, list(ran.rows)) == (0, ["MASK-1[other]"])
    assert ran.report["run"]["met"] is False
    assert "only a part of the suite was run" in ran.out


def test_trouble_of_the_suite_is_an_error_and_nobody_elses(suite: Suite) -> None:
    suite.write(NO_CONTROL, "cases/one.toml")
    ran = suite.drive(GOOD)
    assert (ran.status, ran.row["verdict"], ran.kinds, ran.row["case_file"]) == (1, "error", [], None)
    assert "read store/none" in ran.row["reason"]
    assert "error, and so no verdict on the helper" in ran.out
    assert "Traceback" not in ran.out
    assert "1 error" in ran.out


@pytest.mark.parametrize("level", ("SHOULD", "RECORD"))
def test_trouble_of_the_suite_is_an_error_at_every_level(suite: Suite, level: str) -> None:
    suite.write(module_text(case_text(), NO_CONTROL.replace('"MUST"', f'"{level}"')), "test_mask.py")
    ran = suite.drive(GOOD, "--profile=all")
    assert (ran.status, ran.report["run"]["met"]) == (1, False)


def test_trouble_with_one_helper_does_not_stop_the_other(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    good, bad = suite.helper(GOOD, "good"), suite.helper(REFUSES, "bad")
    ran = suite.run(f"--helper={bad}", f"--helper={good}", f"--adapter={suite.adapter()}")
    assert ran.status == 1
    assert ran.verdicts == {"MASK-1[plain-standin-bad]": "fail", "MASK-1[plain-standin-good]": "pass"}
    assert "standin-good: 1 pass" in ran.out
    assert "standin-bad: 1 fail" in ran.out


def test_an_allowed_refusal_is_counted(suite: Suite) -> None:
    suite.write(case_text(extra='launch = "ran|refused"'), "cases/one.toml")
    ran = suite.drive(REFUSES)
    assert (ran.status, ran.row["verdict"], ran.row["launch"]) == (0, "pass", "refused")
    assert ran.report["summary"]["refused"] == {"MASK-1": 1}
    assert "standin-standin: 1 pass (1 by an allowed refusal)" in ran.out


def test_a_suite_without_a_case_is_pytests_business(suite: Suite) -> None:
    ran = suite.drive(GOOD)
    assert (ran.status, ran.report) == (5, {})


def test_tests_of_ones_own_stay_pytests(suite: Suite) -> None:
    suite.write("def test_fine(): pass\ndef test_not(): assert False\n", "test_own.py")
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(GOOD)
    assert (ran.status, ran.verdicts) == (1, {"MASK-1[plain]": "pass"})
    assert "1 failed, 2 passed" in ran.out
