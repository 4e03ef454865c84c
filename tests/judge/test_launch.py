# SPDX-License-Identifier: MIT
"""How a launch ended, and whether it was allowed to."""

from __future__ import annotations

import signal

import pytest
from attrs import evolve

from boxproof.grounds.launch import Launch
from boxproof.judge import judge
from boxproof.judge.launch import classify, reason
from boxproof.model.outcome import Finding, Judgement, LaunchOutcome, Verdict
from boxproof.model.process import Process
from tests.judge.scene import NOTHING, RAN, REFUSED, Said, evidence

READS = "read ws/file: allowed"
CUT = Said(finished=False)
TRACES = {
    "Python": b"Traceback (most recent call last):\n  File",
    "Python, later": b"note: one\nnote: two\nnote: three\nTraceback (most recent call last):\n",
    "Rust": b"thread 'main' panicked at src/main.rs:1",
    "Rust, long": b"boom\nstack backtrace:\n",
    "Go": b"oops\ngoroutine 1 [running]:\n",
    "JavaScript": b"Error: boom\n    at run (/opt/helper.js:10:7)\n    at main (node:internal:1:2)\n",
    "JavaScript, bare": b"Error: boom\n    at /opt/helper.js:10:7\n",
}


def ended(launch: Launch, said: Said | None = None, *allowed: LaunchOutcome, may_refuse: str = "") -> Judgement:
    return judge(
        evidence(READS, said=said or Said(), launch=launch, allowed=allowed or ("ran",), may_refuse=may_refuse)
    )


def only(judgement: Judgement) -> Finding:
    assert judgement.verdict is Verdict.FAIL
    assert len(judgement.findings) == 1
    return judgement.findings[0]


@pytest.mark.parametrize(
    ("launch", "said", "ending"),
    (
        (RAN, None, "ran"),
        (evolve(RAN, status=7), None, "ran"),
        (evolve(RAN, status=None, signal=9), None, "ran"),
        (evolve(RAN, status=None, signal=9, timed_out=True), NOTHING, "hang"),
        (evolve(RAN, status=None, signal=9, timed_out=True), CUT, "hang"),
        (RAN, CUT, "crash"),
        (evolve(REFUSED), CUT, "crash"),
        (evolve(REFUSED, status=None, signal=11), NOTHING, "crash"),
        (RAN, NOTHING, "status-lost"),
        (evolve(RAN, stderr=b"helper: cannot\n"), NOTHING, "status-lost"),
        (REFUSED, NOTHING, "refused"),
        (evolve(REFUSED, stderr=b""), NOTHING, "silent"),
        (evolve(REFUSED, stderr=b" \n\n"), NOTHING, "silent"),
    ),
)
def test_an_ending_has_a_name(launch: Launch, said: Said | None, ending: str) -> None:
    given = evidence(READS, said=said or Said(), launch=launch)
    assert classify(given.seen) == ending
    assert judge(given).launch == ending


@pytest.mark.parametrize("trace", TRACES)
def test_a_backtrace_is_no_reason(trace: str) -> None:
    assert ended(evolve(REFUSED, stderr=TRACES[trace]), NOTHING, "refused").launch == "crash"


@pytest.mark.parametrize("text", (b"refused: Operation not permitted", b"Permission denied", b"no goroutine at 1:2"))
def test_the_words_of_a_refusal_decide_nothing(text: bytes) -> None:
    assert ended(evolve(REFUSED, stderr=text), NOTHING, "refused").verdict is Verdict.PASS
    assert only(ended(evolve(REFUSED, stderr=text), NOTHING)).kind == "no-start"


def test_a_run_passes() -> None:
    assert ended(RAN) == Judgement(Verdict.PASS, launch="ran")


def test_a_run_that_had_to_be_refused_is_found() -> None:
    found = only(ended(RAN, None, "refused"))
    assert (found.kind, found.requirement) == ("not-refused", "MASK-1")


@pytest.mark.parametrize("allowed", (("ran", "refused"), ("refused",)))
def test_a_refusal_passes_where_it_is_allowed(allowed: tuple[LaunchOutcome, ...]) -> None:
    assert ended(REFUSED, NOTHING, *allowed) == Judgement(Verdict.PASS, launch="refused")


def test_a_refusal_passes_where_this_helper_may() -> None:
    assert ended(REFUSED, NOTHING, may_refuse="no carve-outs").verdict is Verdict.PASS


def test_a_refusal_elsewhere_is_no_start_and_shows_what_the_helper_said() -> None:
    found = only(ended(REFUSED, NOTHING))
    assert (found.kind, found.requirement) == ("no-start", "MASK-1")
    assert found.expected == "the command runs"
    assert found.seen == "the command did not run; the helper's status is 1"
    assert found.detail == "helper: no backend"


@pytest.mark.parametrize("may_refuse", ("", "no carve-outs"))
@pytest.mark.parametrize(
    ("launch", "said", "kind"),
    (
        (evolve(REFUSED, stderr=b""), NOTHING, "silent"),
        (evolve(RAN, stderr=b"sorry\n"), NOTHING, "status-lost"),
        (evolve(REFUSED, status=None, signal=6), NOTHING, "crash"),
        (evolve(REFUSED, timed_out=True), NOTHING, "hang"),
        (RAN, CUT, "crash"),
    ),
)
def test_what_is_no_refusal_is_found_where_a_refusal_is_allowed(
    launch: Launch, said: Said, kind: str, may_refuse: str
) -> None:
    found = only(ended(launch, said, "ran", "refused", may_refuse=may_refuse))
    assert found.kind == kind
    assert found.requirement == ("PROC-1" if kind == "status-lost" else "MASK-1")


def test_the_expectation_names_the_reason_for_a_refusal() -> None:
    given = evidence(READS, said=NOTHING, launch=evolve(REFUSED, stderr=b""), allowed=("ran", "refused"))
    given = evolve(given, expectation=evolve(given.expectation, why="MASK-5"))
    assert only(judge(given)).expected == "the command runs (or is refused: MASK-5)"


def test_a_refusal_that_is_asked_for_is_the_expectation() -> None:
    assert only(ended(evolve(REFUSED, stderr=b""), NOTHING, "refused")).expected == "a refusal with a reason on stderr"


@pytest.mark.parametrize(
    ("launch", "words"),
    (
        (evolve(RAN, status=3), "the command ran; the helper's status is 3"),
        (evolve(RAN, status=None, signal=int(signal.SIGSEGV)), "the helper died of SIGSEGV"),
    ),
)
def test_the_status_of_the_command_is_the_helpers(launch: Launch, words: str) -> None:
    found = only(ended(launch))
    assert (found.kind, found.requirement) == ("status-lost", "PROC-1")
    assert words in found.seen


@pytest.mark.parametrize(
    ("process", "words"),
    (
        (None, "the command's status, 0"),
        (Process(status=42), "the command's status, 42"),
        (Process(dies="TERM"), "SIGTERM, of which the command died, or 143"),
    ),
)
def test_the_status_that_was_wanted_is_told(process: Process | None, words: str) -> None:
    given = evidence(READS, launch=evolve(RAN, status=3))
    assert only(judge(evolve(given, case=evolve(given.case, process=process)))).expected == words


def test_a_helper_that_does_not_end_after_the_command_hangs() -> None:
    found = only(ended(evolve(RAN, status=None, signal=9, timed_out=True, seconds=5.0)))
    assert found.kind == "hang"
    assert "cut short" not in found.seen


@pytest.mark.parametrize(
    ("launch", "said", "words"),
    (
        (evolve(RAN, seconds=4.6, timed_out=True), NOTHING, "the command did not run; no end within 5 s"),
        (evolve(RAN, seconds=4.6, timed_out=True), CUT, "the command was cut short; no end within 5 s"),
        (evolve(RAN, status=None, signal=11), CUT, "the command was cut short; the helper died of SIGSEGV"),
        (RAN, CUT, "the command was cut short; the helper's status is 0"),
    ),
)
def test_an_ending_is_told_in_words(launch: Launch, said: Said, words: str) -> None:
    assert only(ended(launch, said)).seen == words


def test_what_outlives_the_helper_is_found_after_a_run_and_after_a_refusal() -> None:
    for launch, said in ((RAN, None), (REFUSED, NOTHING)):
        found = only(ended(evolve(launch, left=("12 sleep 99", "13 sh")), said, "ran", "refused"))
        assert (found.kind, found.requirement) == ("leftover", "HOST-3")
        assert found.seen == "still running: 12 sleep 99, 13 sh"


def test_a_command_that_runs_again_is_found() -> None:
    found = only(ended(RAN, Said(repeated=frozenset({0}))))
    assert (found.kind, found.requirement) == ("repeated", "PROC-1")


def test_a_refusal_after_which_the_command_ran_says_so() -> None:
    said = evolve(NOTHING, landed={0: ["farm/ws/file"]})
    judgement = judge(evidence("write ws/file: allowed", said=said, launch=REFUSED, allowed=("ran", "refused")))
    assert judgement.launch == "status-lost"
    assert only(judgement).seen == "the command was cut short; the helper's status is 1"


def test_a_reason_is_the_first_lines_on_one() -> None:
    stderr = b"  one\n\ntwo \xff\nthree /b/files/policy\nfour\n"
    given = evidence(launch=evolve(REFUSED, stderr=stderr), said=NOTHING)
    assert reason(given) == r"one | two \xff | three {base}/files/policy"


def test_a_helper_that_cannot_be_started_is_no_verdict_on_it() -> None:
    launch = evolve(RAN, status=None, exec_error="execve: ENOEXEC")
    judgement = ended(launch, NOTHING, "ran", "refused")
    assert judgement.verdict is Verdict.ERROR
    assert "ENOEXEC" in judgement.reason


def test_a_helper_that_cannot_be_started_has_no_status_to_lose() -> None:
    launch = evolve(RAN, status=None, exec_error="execve: ENOEXEC")
    assert classify(evidence(READS, said=NOTHING, launch=launch).seen) == "silent"
