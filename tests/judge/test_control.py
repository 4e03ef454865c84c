# SPDX-License-Identifier: MIT
"""A denial counts only beside its control."""

from __future__ import annotations

import pytest
from attrs import evolve

from boxproof.judge import judge
from boxproof.judge.control import without_control
from boxproof.judge.probes import judge_probes
from boxproof.model.outcome import Judgement, Verdict
from tests.judge.scene import CANARY, NOTHING, RAN, Said, evidence, token

READ = "read store/key: denied|absent"
LINKED = "read ws/out: denied|absent"
KEY = token("store/key")


def controlled(*probes: str, **said: str) -> Judgement:
    answers = {int(number.removeprefix("n")): text for number, text in said.items()}
    return judge(evidence(*probes, control=Said(answers)))


@pytest.mark.parametrize("answer", ("no 13", "no absent", "unable", "ok"))
def test_a_denied_read_without_its_control_is_an_error(answer: str) -> None:
    judgement = controlled(READ, n0=answer)
    assert judgement.verdict is Verdict.ERROR
    assert judgement.findings == ()
    assert "`read store/key`" in judgement.reason


def test_a_denied_read_beside_its_control_passes() -> None:
    assert controlled(READ).verdict is Verdict.PASS


def test_a_probe_without_an_expectation_is_not_passed_over() -> None:
    given = evidence(READ, LINKED)
    short = evolve(given, expectation=evolve(given.expectation, probes=given.expectation.probes[:1]))
    for look in (without_control, judge_probes):
        with pytest.raises(ValueError, match="shorter"):
            look(short)


def test_an_error_outweighs_what_else_is_wrong() -> None:
    given = evidence("read ws/file: denied", READ, control=Said({1: "no 2"}), said=Said({0: f"ok {token('ws/file')}"}))
    assert judge(given).verdict is Verdict.ERROR


def test_another_spelling_of_the_object_is_a_control() -> None:
    assert controlled(READ, LINKED, n1="no 40").verdict is Verdict.PASS
    assert controlled(READ, LINKED, n0="no 40").verdict is Verdict.PASS
    assert controlled(READ, LINKED, n0="no 13", n1="no 40").verdict is Verdict.ERROR


def test_another_object_is_no_control() -> None:
    assert controlled(READ, "read store/other: denied", n0="no 13").verdict is Verdict.ERROR


def test_a_write_is_no_control_of_a_read() -> None:
    assert controlled(READ, "write store/key: denied", n0="no 13").verdict is Verdict.ERROR


def test_what_has_no_object_is_no_control_of_another() -> None:
    both = ("read /proc/version: denied", "read ws/none: denied")
    given = evidence(*both, control=Said({1: "no absent"}), explicit=True)
    assert judge(given).verdict is Verdict.ERROR


def test_a_write_is_the_control_of_a_new_name() -> None:
    both = ("write ws/none: denied|absent", "create ws/none: denied|absent")
    assert controlled(*both, n1="no exists").verdict is Verdict.PASS


def test_after_a_change_what_is_allowed_may_fail_without_the_helper() -> None:
    """Without the helper the change itself succeeds."""
    steps = ("rename ws/spare ws/new: any", "read ws/spare: allowed")
    assert controlled(*steps, n1="no absent").verdict is Verdict.PASS
    assert controlled(*reversed(steps), n0="no absent").verdict is Verdict.ERROR


def test_what_leads_nowhere_needs_no_control() -> None:
    assert controlled("read ws/none: denied|absent", n0="no absent").verdict is Verdict.PASS


def test_a_case_that_says_denied_needs_its_control() -> None:
    given = evidence("read ws/none: denied", control=Said({0: "no absent"}), explicit=True)
    assert judge(given).verdict is Verdict.ERROR
    assert judge(evidence("read ws/none: denied|absent", control=Said({0: "no absent"}), explicit=True)).verdict is (
        Verdict.PASS
    )


@pytest.mark.parametrize("outcomes", ("any", "allowed|denied|absent"))
def test_what_may_happen_needs_no_control(outcomes: str) -> None:
    assert controlled(f"read store/key: {outcomes}", n0="no 13").verdict is Verdict.PASS


def test_an_allowed_probe_that_fails_without_the_helper_is_not_the_helpers_fault() -> None:
    answers = Said({0: "no 13"})
    judgement = judge(evidence("write ws/file: allowed", control=answers, said=answers))
    assert judgement.verdict is not Verdict.FAIL


def test_a_write_needs_no_trace_in_the_control() -> None:
    """A later probe may have taken the file away, and nobody but the kernel stood between."""
    assert controlled("write store/key: denied").verdict is Verdict.PASS
    assert controlled("write store/key: denied", n0="no 13").verdict is Verdict.ERROR


def test_the_canary_needs_its_control() -> None:
    assert judge(evidence(CANARY, control=Said({0: "no 13"}), explicit=True)).verdict is Verdict.ERROR
    assert judge(evidence(CANARY, explicit=True)).verdict is Verdict.PASS


@pytest.mark.parametrize("said", (NOTHING, Said(finished=False), Said({0: ""})))
def test_a_probe_that_does_not_run_without_the_helper_is_an_error(said: Said) -> None:
    judgement = judge(evidence(READ, control=said))
    assert judgement.verdict is Verdict.ERROR
    assert judgement.reason.startswith("the probe did not run without the helper")


def test_the_controls_own_trouble_is_told() -> None:
    given = evidence(READ, control=NOTHING)
    broken = evolve(given.control, launch=evolve(RAN, exec_error="execve: ENOENT"))
    assert "execve: ENOENT" in judge(evolve(given, control=broken)).reason
    broken = evolve(given.control, launch=evolve(RAN, stderr=b"sh: gone"))
    assert "sh: gone" in judge(evolve(given, control=broken)).reason
