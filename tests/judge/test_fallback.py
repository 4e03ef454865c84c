# SPDX-License-Identifier: MIT
"""Launches on hosts that lack something: what counts for which requirement, and how they are classed."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

import pytest
from attrs import evolve

from boxproof.conditions.registry import find_condition
from boxproof.grounds.launch import Launch
from boxproof.judge import judge
from boxproof.model.outcome import Judgement, Verdict
from tests.judge.scene import NOTHING, RAN, REFUSED, Said, evidence

READS = "read ws/file: allowed"
SECRET = "read store/key: denied"  # noqa: S105 - a probe
CANARY = "write /b/outside/canary: denied"
CLEAR = evolve(REFUSED, status=125, stderr=b"helper: user namespaces are not allowed here\n")
OPAQUE = evolve(REFUSED, status=125, stderr=b"helper: cannot\n")
SILENT = evolve(REFUSED, status=125, stderr=b"")
PANIC = evolve(REFUSED, status=101, stderr=b"thread 'main' panicked at src/main.rs:1\n")
HUNG = evolve(RAN, status=None, signal=9, timed_out=True)
LEAKS = Said(answers={1: "ok <store/key>"})
FREE = Said(answers={1: "ok <store/key>", 2: "ok"}, landed={2: ("outside/canary",)})


class More(TypedDict, total=False):
    """Fields of the observation or the evidence."""

    executions: int
    preflight: Launch
    weaker: bool


def lacking(
    requirement: str,
    launch: Launch,
    said: Said | None = None,
    *,
    condition: str = "no-userns-eperm",
    **more: Unpack[More],
) -> Judgement:
    probes = (READS, SECRET, CANARY)
    found = evidence(*probes, said=said or Said(), launch=launch, allowed=("ran", "refused"), secret=("store/key",))
    seen = evolve(found.seen, executions=more.get("executions"), preflight=more.get("preflight"))
    case = evolve(found.case, requirement=requirement, condition=condition)
    lack = find_condition(condition)
    asked = evolve(found, case=case, seen=seen, condition=lack)
    return judge(evolve(asked, weaker=more["weaker"]) if "weaker" in more else asked)


def kinds(judgement: Judgement) -> list[str]:
    assert (judgement.verdict is Verdict.FAIL) == bool(judgement.findings)
    return [finding.kind for finding in judgement.findings]


@pytest.mark.parametrize(
    ("launch", "said", "classed"),
    (
        (RAN, None, "confined"),
        (RAN, LEAKS, "weaker in silence"),
        (evolve(RAN, stderr=b"note: no user namespaces, files are not hidden\n"), LEAKS, "weaker and announced"),
        (RAN, FREE, "unconfined"),
        (CLEAR, NOTHING, "refused and clear"),
        (OPAQUE, NOTHING, "refused and opaque"),
        (SILENT, NOTHING, "refused and opaque"),
        (PANIC, NOTHING, "crashed"),
        (HUNG, NOTHING, "hung"),
        (RAN, NOTHING, "no report"),
    ),
)
def test_each_launch_is_classed(launch: Launch, said: Said | None, classed: str) -> None:
    assert lacking("FALL-3", launch, said).reason == classed


@pytest.mark.parametrize(
    ("launch", "said", "wanted"),
    (
        (RAN, None, []),
        (CLEAR, NOTHING, []),
        (OPAQUE, NOTHING, ["opaque"]),
        (SILENT, NOTHING, ["silent"]),
        (PANIC, NOTHING, ["crash"]),
        (HUNG, NOTHING, ["hang"]),
        (RAN, NOTHING, ["status-lost"]),
        (RAN, FREE, ["unsandboxed", "leak"]),
    ),
)
def test_without_a_backend_a_helper_refuses_and_says_why(launch: Launch, said: Said | None, wanted: list[str]) -> None:
    assert kinds(lacking("FALL-1", launch, said)) == wanted


def test_with_another_backend_a_refusal_is_a_fault() -> None:
    found = evidence(READS, said=NOTHING, launch=CLEAR, allowed=("ran",))
    case = evolve(found.case, requirement="FALL-2", condition="no-bwrap")
    assert kinds(judge(evolve(found, case=case, condition=find_condition("no-bwrap")))) == ["no-start"]
    assert kinds(lacking("FALL-2", RAN, condition="no-bwrap")) == []


@pytest.mark.parametrize("launch", (OPAQUE, SILENT, PANIC), ids=["opaque", "silent", "panic"])
def test_never_unconfined_asks_for_nothing_else(launch: Launch) -> None:
    assert kinds(lacking("FALL-3", launch, NOTHING)) == []
    assert "unsandboxed" in kinds(lacking("FALL-3", RAN, FREE))


def test_less_in_silence_is_a_fault_and_less_that_is_announced_is_not() -> None:
    told = evolve(RAN, stderr=b"warning: Landlock ABI 2, truncation is not covered\n")
    assert kinds(lacking("FALL-4", RAN, LEAKS, condition="landlock-abi-2")) == ["leak"]
    assert kinds(lacking("FALL-4", told, LEAKS, condition="landlock-abi-2")) == []
    assert kinds(lacking("FALL-4", RAN, LEAKS, condition="landlock-abi-2", weaker=True)) == []
    assert "unsandboxed" in kinds(lacking("FALL-4", told, FREE, condition="landlock-abi-2"))


@pytest.mark.parametrize("number", (1, 2, 3, 5, 6, 7, 8))
def test_announcing_it_is_enough_for_no_other_requirement(number: int) -> None:
    told = evolve(RAN, stderr=b"warning: Landlock ABI 2, truncation is not covered\n")
    assert kinds(lacking(f"FALL-{number}", told, LEAKS, condition="landlock-abi-2")) == ["leak"]


@pytest.mark.parametrize("launch", (HUNG, evolve(RAN, status=None, signal=9)), ids=["hung", "cut short"])
def test_a_run_that_did_not_end_well_announces_nothing(launch: Launch) -> None:
    told = evolve(launch, stderr=b"warning: Landlock ABI 2, truncation is not covered\n")
    assert "leak" in kinds(lacking("FALL-4", told, evolve(LEAKS, finished=False), condition="landlock-abi-2"))


@pytest.mark.parametrize(
    ("number", "wanted"),
    ((1, True), (2, True), (3, False), (4, False), (5, False), (6, True), (7, False), (8, False)),
)
def test_a_command_that_did_not_run_behind_status_0_is_the_business_of_some(number: int, wanted: bool) -> None:  # noqa: FBT001 - a row
    lost = evolve(RAN, stderr=b"--perms is unknown\n")
    assert ("status-lost" in kinds(lacking(f"FALL-{number}", lost, NOTHING))) == wanted


@pytest.mark.parametrize(("status", "wanted"), ((1, 1), (126, 1), (127, 1), (0, 1), (137, 1), (2, 0), (125, 0)))
def test_a_refusal_has_a_status_of_its_own(status: int, wanted: int) -> None:
    assert kinds(lacking("FALL-5", evolve(CLEAR, status=status), NOTHING)) == ["same-status"] * wanted


def test_the_preflight_has_the_same_status() -> None:
    assert kinds(lacking("FALL-5", CLEAR, NOTHING, preflight=evolve(CLEAR, status=101))) == ["same-status"]
    assert kinds(lacking("FALL-5", CLEAR, NOTHING, preflight=CLEAR)) == []


@pytest.mark.parametrize(
    ("launch", "wanted"), ((HUNG, ["hang"]), (RAN, ["status-lost"]), (CLEAR, []), (SILENT, []), (PANIC, []))
)
def test_a_broken_backend_ends_in_time_with_a_status(launch: Launch, wanted: list[str]) -> None:
    assert kinds(lacking("FALL-6", launch, NOTHING, condition="bwrap-dies")) == wanted


def test_a_bwrap_of_somebody_else_is_not_executed() -> None:
    assert kinds(lacking("FALL-7", RAN, condition="bwrap-other-owner", executions=2)) == ["untrusted-backend"]
    assert kinds(lacking("FALL-7", RAN, condition="bwrap-other-owner", executions=0)) == []
    assert kinds(lacking("FALL-7", OPAQUE, NOTHING, condition="bwrap-other-owner", executions=0)) == []


def test_an_old_bwrap_is_named_by_option_or_version() -> None:
    names = evolve(REFUSED, stderr=b"bwrap: Unknown option --perms\n")
    assert kinds(lacking("FALL-8", names, NOTHING, condition="bwrap-without-perms")) == []
    assert kinds(lacking("FALL-8", OPAQUE, NOTHING, condition="bwrap-without-perms")) == ["opaque"]


@pytest.mark.parametrize("change", ({"clashed": True}, {"exec_error": "execve: EAGAIN"}), ids=["listener", "exec"])
def test_what_the_condition_itself_prevents_is_no_verdict(change: dict[str, Any]) -> None:
    judgement = lacking("FALL-1", evolve(OPAQUE, **change), NOTHING)
    assert (judgement.verdict, judgement.reason.partition(":")[0]) == (Verdict.NOT_APPLICABLE, "inconclusive")


@pytest.mark.parametrize(("number", "own"), ((5, "same-status"), (8, "opaque")))
def test_a_helper_that_hangs_has_given_neither_status_nor_reason(number: int, own: str) -> None:
    assert kinds(lacking(f"FALL-{number}", HUNG, NOTHING, condition="bwrap-without-perms")) == [own, "hang"]
