# SPDX-License-Identifier: MIT
"""What a judgement stands on, and the verdict on several launches of one case."""

from __future__ import annotations

import pytest
from attrs import evolve

from boxproof.judge import judge
from boxproof.model.case import Case
from boxproof.model.outcome import Finding, Judgement, Kind, Verdict
from boxproof.model.policy import Policy
from boxproof.model.tree import parse_tree
from boxproof.observation import marks
from boxproof.rounds import Round
from boxproof.runner import _together
from tests.judge.scene import BASE, FARM, MARK, Said, evidence, made, marked, token

CASE = Case("a", "MASK-1", "a title", parse_tree("ws/\n"), Policy("ws"))
PASS = Round(CASE, Judgement(Verdict.PASS, launch="ran"), launches=1)
REFUSED = Round(CASE, Judgement(Verdict.PASS, launch="refused"), launches=1)
ERROR = Round(CASE, Judgement(Verdict.ERROR, reason="no control"), launches=1)
IDLE = Round(CASE, Judgement(Verdict.NOT_APPLICABLE, reason="no way to say it"))


def failed(*kinds: Kind, path: str = "ws") -> Round:
    findings = tuple(Finding(kind, "MASK-1", "one thing", "another", path) for kind in kinds)
    return Round(CASE, Judgement(Verdict.FAIL, findings, launch="ran"), launches=1)


@pytest.mark.parametrize(
    ("path", "place"),
    (
        ("ws/new", "ws/new"),
        ("ws/out", "ws/out"),
        ("ws/dir/new", "store/new"),
        ("ws/dir/", "ws/dir"),
        ("{farm}/ws/dir/key", "store/key"),
        ("./new", "ws/new"),
        ("./dir/new", "store/new"),
        ("ws/none/new", ""),
    ),
)
def test_a_name_is_where_its_folder_leads(path: str, place: str) -> None:
    assert evidence().place(path) == (place and f"{FARM}/{place}")


def test_a_name_in_the_working_folder_follows_it() -> None:
    given = evidence()
    linked = evolve(given, case=evolve(given.case, policy=Policy("ws/dir")))
    assert linked.place("./key") == f"{FARM}/store/key"


@pytest.mark.parametrize(
    ("path", "shown"),
    (
        (f"{FARM}/ws/a b", r"ws/a\x20b"),
        (FARM, "{farm}"),
        (f"{BASE}/home/a b", r"{base}/home/a\x20b"),
        ("/etc/hosts", "/etc/hosts"),
    ),
)
def test_a_path_is_shown_as_a_report_can_print_it(path: str, shown: str) -> None:
    assert evidence().show(path) == shown


def test_a_token_names_its_file() -> None:
    given = evidence()
    assert given.object_of(f" {token('store/key')}\n") == f"{FARM}/store/key"
    assert given.object_of(f"{token('store/key')}x") == given.object_of("") == ""


def test_findings_come_under_the_requirement_of_their_kind() -> None:
    given = evidence()
    requirements = {kind: given.finding(kind, "", "").requirement for kind in ("host-change", "leftover", "leak")}
    assert requirements == {"host-change": "HOST-1", "leftover": "HOST-3", "leak": "MASK-1"}


def test_all_that_is_wrong_is_told() -> None:
    said = Said({0: f"ok {token('store/key')}", 1: "no 13"})
    host = {"tmp/x": made("x")}
    judgement = judge(evidence("read store/key: denied", "read ws/file: allowed", said=said, host=host))
    assert [found.kind for found in judgement.findings] == ["leak", "overblock", "host-change"]


def test_a_mark_is_a_line_of_its_own() -> None:
    content = marked(12, b"token\n") + b"m1-4\nm0-5 \n m0-6\nm0-7x\nm0-\nm0-8\n"
    assert list(marks(content, MARK)) == [12, 8]


def test_marks_are_found_wherever_they_landed() -> None:
    seen = evidence("write ws/file: any", "write ws/spare: any", said=Said({}, {1: ["farm/ws/spare", "home/x"]})).seen
    assert dict(seen.landed) == {1: (f"{FARM}/ws/spare", f"{BASE}/home/x")}
    assert list(seen.landed[1]) == [change.path for change in seen.changes]


def test_an_object_is_one_by_any_of_its_names_before_or_after() -> None:
    node = made("new")
    seen = evidence(host={"farm/ws/one": node, "farm/ws/two": node, "farm/ws/spare": None}).seen
    assert seen.same_object(f"{FARM}/ws/file", f"{FARM}/ws/copy")
    assert seen.same_object(f"{FARM}/ws/one", f"{FARM}/ws/two")
    assert seen.same_object("/gone", "/gone")
    gone = evidence(host={"farm/ws/file": None, "farm/ws/copy": None}).seen
    assert gone.same_object(f"{FARM}/ws/file", f"{FARM}/ws/copy")
    assert not seen.same_object(f"{FARM}/ws/file", f"{FARM}/ws/spare")
    assert not seen.same_object(f"{FARM}/ws/file", "/gone")


def test_an_answer_is_what_the_probe_could_do() -> None:
    seen = evidence("read ws/file: allowed", "write ws/file: allowed").seen
    assert seen.answer(0) == (True, token("ws/file"), False)
    assert seen.answer(1) == (True, "", True)
    assert seen.answer(2) == (None, "", False)


def test_the_errno_is_no_part_of_an_answer() -> None:
    probe = "read store/key: denied"
    one, other = (evidence(probe, said=Said({0: f"no {number}"})).seen for number in (2, 13))
    assert one.answer(0) == other.answer(0)


def test_repeats_that_agree_have_their_verdict() -> None:
    run = _together([PASS, PASS, PASS])
    assert (run.judgement, run.launches, run.repeats, run.failed) == (PASS.judgement, 3, 3, 0)
    run = _together([failed("leak"), failed("leak")])
    assert (run.judgement, run.failed) == (failed("leak").judgement, 2)


@pytest.mark.parametrize("rounds", ((PASS, failed("leak")), (failed("leak"), PASS)))
def test_repeats_that_differ_are_flaky_with_what_was_wrong(rounds: tuple[Round, ...]) -> None:
    run = _together(rounds)
    assert run.judgement.verdict is Verdict.FLAKY
    assert run.judgement.findings == failed("leak").judgement.findings
    assert (run.failed, run.repeats) == (1, 2)


@pytest.mark.parametrize(
    "other", (failed("escape"), failed("leak", "escape"), failed("leak", path="store"), failed("overblock"))
)
def test_repeats_that_fail_in_different_ways_are_flaky_with_all_of_it(other: Round) -> None:
    run = _together([failed("leak"), other])
    assert run.judgement.verdict is Verdict.FLAKY
    assert set(run.judgement.findings) == {*failed("leak").judgement.findings, *other.judgement.findings}


def test_repeats_that_end_in_different_ways_are_flaky_and_say_why() -> None:
    run = _together([PASS, REFUSED])
    assert run.judgement.verdict is Verdict.FLAKY
    assert run.judgement.reason or run.judgement.findings


def test_one_error_is_an_error_of_all() -> None:
    for rounds in ([PASS, ERROR], [failed("leak"), ERROR], [ERROR, failed("leak")], [ERROR, ERROR]):
        assert _together(rounds).judgement == ERROR.judgement


def test_the_launch_that_is_shown_is_the_first_that_failed() -> None:
    first, second = (evidence(host={f"tmp/{name}": made(name)}).seen for name in "ab")
    run = _together([evolve(PASS, seen=first), evolve(failed("leak"), seen=second), evolve(failed("leak"), seen=first)])
    assert run.seen is second
    assert _together([evolve(PASS, seen=first), evolve(PASS, seen=second)]).seen is first


def test_what_is_not_applicable_has_not_failed() -> None:
    run = _together([IDLE, IDLE])
    assert (run.judgement, run.failed) == (IDLE.judgement, 0)


def test_what_lies_above_the_farm_is_shown_as_it_is() -> None:
    assert [evidence("read ws/file: allowed").show(path) for path in ("/a", "/b", "/b/farm")] == ["/a", "/b", "{farm}"]


@pytest.mark.parametrize(
    ("requirement", "told"),
    (("HOST-4", "HOST-4"), ("PROC-6", "PROC-6"), ("PROC-5", "HOST-1"), ("PROC-7", "HOST-1"), ("START-1", "HOST-1")),
)
def test_what_is_changed_is_told_under_the_requirement_that_is_about_that(requirement: str, told: str) -> None:
    found = evidence("read ws/file: allowed")
    asked = evolve(found, case=evolve(found.case, requirement=requirement))
    assert asked.finding("host-change", "nothing", "something").requirement == told


def test_a_helper_claims_nothing_unless_it_says_so() -> None:
    found = evidence("read ws/file: allowed")
    assert (found.isolates, found.weaker) == (False, False)
