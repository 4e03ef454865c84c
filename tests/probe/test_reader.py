# SPDX-License-Identifier: MIT
"""The reader, on streams that nobody should send."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxproof.probe.reader import Answer, ProbeReport, read_report

WHOLE = b"n begin 2\nn 0 ok t0ken\nn 1 no 13\nn end\n"
ANSWERS = {0: Answer(ok=True, payload="t0ken"), 1: Answer(ok=False, payload="13")}


def test_a_whole_report() -> None:
    assert read_report(WHOLE, "n", 2) == ProbeReport(
        began=True, finished=True, answers=ANSWERS, repeated=frozenset(), extra=b""
    )


@pytest.mark.parametrize(
    ("line", "answer"),
    (
        (b"n 0 ok\n", Answer(ok=True)),
        (b"n 0 ok \n", Answer(ok=True)),
        (b"n 0 no absent\n", Answer(ok=False, payload="absent")),
        (b"n 0 unable\n", Answer(ok=None)),
        (b"n 0 ok a b  c \n", Answer(ok=True, payload="a b  c ")),
    ),
)
def test_an_answer(line: bytes, answer: Answer) -> None:
    assert read_report(line, "n", 1).answers == {0: answer}


@pytest.mark.parametrize(
    "junk",
    (
        b"warning: x\n",
        b"\0\xff\n",
        b"\n\n",
        b"other 0 ok t0ken\n",
        b"n 7 ok t0ken\n",
        b"n " + b"9" * 5000 + b" ok\n",
        b"n begin " + b"9" * 5000 + b"\n",
        b"n x\n",
    ),
)
def test_junk_is_kept_apart(junk: bytes) -> None:
    lines = WHOLE.splitlines(keepends=True)
    report = read_report(junk + junk.join(lines) + junk, "n", 2)
    assert (report.began, report.finished, report.answers, report.extra) == (True, True, ANSWERS, junk * 5)


def test_junk_without_a_line_feed_hides_nothing() -> None:
    report = read_report(b"progress 50%" + WHOLE + b"bye", "n", 2)
    assert (report.finished, report.answers, report.extra) == (True, ANSWERS, b"progress 50%bye")


@pytest.mark.parametrize("size", range(len(WHOLE)))
def test_a_cut_report_is_not_finished_and_no_answer_is_half(size: int) -> None:
    report = read_report(WHOLE[:size], "n", 2)
    assert not report.finished
    assert report.began == (size >= len(b"n begin 2\n"))
    assert all(ANSWERS[index] == answer for index, answer in report.answers.items())
    assert len(report.answers) == WHOLE[:size].count(b"\n", 10)


def test_the_first_of_two_answers_wins_and_that_is_told() -> None:
    report = read_report(WHOLE + b"n 1 ok forged\nn 1 ok again\n", "n", 2)
    assert report.answers == ANSWERS
    assert report.repeated == {1}


def test_another_count_is_no_beginning() -> None:
    assert not read_report(WHOLE, "n", 3).began


def test_an_end_without_every_answer_is_none() -> None:
    assert not read_report(b"n begin 2\nn 0 ok\nn end\n", "n", 2).finished


def test_silence() -> None:
    assert read_report(b"", "n", 0) == ProbeReport(
        began=False, finished=False, answers={}, repeated=frozenset(), extra=b""
    )


def test_a_nonce_is_no_pattern() -> None:
    assert read_report(b"xx begin 0\n", "x.", 0).extra == b"xx begin 0\n"


@settings(derandomize=True, database=None, deadline=None)
@given(st.lists(st.sampled_from([b"n", b" ", b"0", b"1", b"ok", b"no", b"end", b"begin", b"\n", b"\xff", b"9" * 5000])))
def test_no_stream_is_too_odd(pieces: list[bytes]) -> None:
    stream = b"".join(pieces)
    report = read_report(stream, "n", 2)
    assert set(report.answers) <= {0, 1}
    assert len(report.extra) <= len(stream)
