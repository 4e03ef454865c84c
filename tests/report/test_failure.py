# SPDX-License-Identifier: MIT
"""A failure in words."""

from __future__ import annotations

import pytest
from attrs import evolve

from boxproof.model.case import Case
from boxproof.model.casefile import load_case
from boxproof.model.outcome import KINDS, SECURITY, Finding, Kind
from boxproof.model.policy import Policy, Rule
from boxproof.model.requirement import Requirement
from boxproof.model.topology import File, Topology
from boxproof.model.tree import parse_tree
from boxproof.report.failure import STDERR_LINES, Failure, command_text, failure_text, shown_case, stderr_lines

FINDING = Finding("overblock", "MASK-2", "read ws/file: allowed (rw ws)", "denied 13", "ws/file")
CASE = Case(
    "a-slug",
    "MASK-2",
    "two names of one file are denied",
    parse_tree("ws/\nws/file file\n"),
    Policy("ws", (Rule("rw", "ws"), Rule("deny", "ws/a b"))),
)
FAILURE = Failure(
    requirement=Requirement("MASK-2", "MUST", "It starts, and is denied.", "why"),
    case=CASE,
    findings=(FINDING,),
    command=command_text(("/opt/helper", "--policy", "/b/files/a policy", "--", "/bin/sh", "-c", "echo $x")),
    stderr=stderr_lines(b"one\ntwo\n"),
    note="flaky: failed 1 of 2 launches",
    case_file="cases/mask-2-a-slug/case.toml",
    replay="pytest --case=cases/mask-2-a-slug/case.toml",
)
PRIVATE = "this is a security finding: report it to the vendor in private first"


def lines(failure: Failure = FAILURE) -> list[str]:
    return failure_text(failure).splitlines()


def test_the_whole_text() -> None:
    assert lines() == [
        "overblock: MASK-2 (MUST) is not met",
        "requirement: It starts, and is denied.",
        "case: two names of one file are denied",
        "tree:",
        "    ws/",
        "    ws/file                  file",
        "policy:",
        "    cwd ws, reads everything, network off, temp folder closed",
        "    rw ws",
        r"    deny ws/a\x20b",
        "found:",
        "    overblock [MASK-2] ws/file",
        "        expected: read ws/file: allowed (rw ws)",
        "        seen:     denied 13",
        "flaky: failed 1 of 2 launches",
        "command: /opt/helper --policy '/b/files/a policy' -- /bin/sh -c 'echo $x'",
        "stderr:",
        "    one",
        "    two",
        "case file: cases/mask-2-a-slug/case.toml",
        "replay: pytest --case=cases/mask-2-a-slug/case.toml",
    ]


def test_the_first_line_names_each_kind_once() -> None:
    findings = (evolve(FINDING, kind="leak"), FINDING, evolve(FINDING, kind="leak"))
    assert lines(evolve(FAILURE, findings=findings))[0] == "leak, overblock: MASK-2 (MUST) is not met"


def test_the_script_of_the_probe_is_not_printed() -> None:
    command = ("/opt/helper", "a b", "/bin/sh", "-c", "line\nline\n", "boxproof", "n1")
    assert "command: /opt/helper 'a b' /bin/sh -c '...the probe'" in lines(
        evolve(FAILURE, command=command_text(command))
    )


def test_what_there_is_nothing_of_is_left_out() -> None:
    bare = lines(evolve(FAILURE, note="", stderr=(), case_file=""))
    assert "stderr:" not in bare
    assert "" not in bare
    assert bare[-2] == "case file: not written"
    assert len(bare) == len(lines()) - 4


def test_the_level_is_the_cases() -> None:
    assert lines(evolve(FAILURE, case=evolve(CASE, level="SHOULD")))[0] == "overblock: MASK-2 (SHOULD) is not met"


def test_a_finding_without_a_path() -> None:
    bare = evolve(FAILURE, findings=(evolve(FINDING, path="", requirement="HOST-3"),))
    assert "    overblock [HOST-3]" in lines(bare)


def test_every_finding_is_told_in_order() -> None:
    findings = (evolve(FINDING, kind="leak"), FINDING, evolve(FINDING, kind="leftover"))
    told = [line.split()[0] for line in lines(evolve(FAILURE, findings=findings)) if line.endswith("ws/file")]
    assert told == ["leak", "overblock", "leftover"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_security_finding_is_for_the_vendor_first(kind: Kind) -> None:
    told = lines(evolve(FAILURE, findings=(FINDING, evolve(FINDING, kind=kind))))
    assert told.count(PRIVATE) == (kind in SECURITY)
    assert PRIVATE not in lines()


def test_the_last_two_lines_are_the_case_file_and_the_replay() -> None:
    told = lines(evolve(FAILURE, findings=(evolve(FINDING, kind="escape"),)))
    assert told[-3:] == [PRIVATE, "case file: cases/mask-2-a-slug/case.toml", f"replay: {FAILURE.replay}"]


def test_the_words_of_a_policy() -> None:
    policy = Policy("a b", reads="listed", network=True, tmp="writable")
    told = lines(evolve(FAILURE, case=evolve(CASE, policy=policy)))
    assert r"    cwd a\x20b, reads listed, network on, temp folder writable" in told


@pytest.mark.parametrize(("count", "shown", "more"), ((20, 20, []), (21, 20, ["    ... and 1 more rules"])))
def test_a_long_policy_is_cut(count: int, shown: int, more: list[str]) -> None:
    policy = Policy("ws", tuple(Rule("ro", f"r{number}") for number in range(count)))
    told = lines(evolve(FAILURE, case=evolve(CASE, policy=policy)))
    assert len([line for line in told if line.startswith("    ro r")]) == shown
    assert [line for line in told if "more rules" in line] == more


@pytest.mark.parametrize(("count", "more"), ((60, []), (62, ["    ... and 2 more entries, all in the case file"])))
def test_a_big_farm_is_cut(count: int, more: list[str]) -> None:
    topology = Topology(tuple(File(f"f{number}") for number in range(count)))
    told = lines(evolve(FAILURE, case=evolve(CASE, topology=topology)))
    assert len([line for line in told if line.startswith("    f")]) == 60
    assert [line for line in told if "more entries" in line] == more


@pytest.mark.parametrize(("count", "more"), ((20, []), (22, ["    ... and 2 more findings"])))
def test_many_findings_are_cut(count: int, more: list[str]) -> None:
    told = lines(evolve(FAILURE, findings=(FINDING,) * count))
    assert told.count("    overblock [MASK-2] ws/file") == 20
    assert [line for line in told if "more findings" in line] == more


def test_a_flaky_case_without_findings_says_so() -> None:
    told = lines(evolve(FAILURE, findings=()))
    assert told[0] == "flaky: MASK-2 (MUST) is not met"
    assert "found:" not in told


@pytest.mark.parametrize(("count", "more"), ((STDERR_LINES, []), (STDERR_LINES + 2, ["    ... and 2 more lines"])))
def test_a_long_stderr_is_cut(count: int, more: list[str]) -> None:
    told = lines(evolve(FAILURE, stderr=stderr_lines(b"".join(b"line\n" for _ in range(count)))))
    assert told.count("    line") == STDERR_LINES
    assert [line for line in told if "more lines" in line] == more


def test_any_bytes_can_be_printed() -> None:
    odd = evolve(FAILURE, command=command_text(("/opt/h\udcff", "\ud800")), stderr=stderr_lines(b"\xff\xfe oops\n"))
    text = failure_text(odd)
    assert r"\xff\xfe oops" in text
    assert text.encode("utf-8")


def test_a_helper_cannot_write_to_the_terminal() -> None:
    """Terminals obey escape sequences, and so does whatever shows the log of a release gate."""
    text = failure_text(evolve(FAILURE, stderr=stderr_lines(b"\x1b[2J\x1b]0;title\x07 \x9b1m\x08gone\r\n")))
    assert not [character for character in text if not character.isprintable() and character != "\n"]
    assert "gone" in text


def test_a_row_holds_no_case_that_would_fill_a_page() -> None:
    assert load_case(shown_case(CASE), "case") == CASE
    names = "".join(f"ws/{number:04d} file\n" for number in range(2000))
    assert shown_case(evolve(CASE, topology=parse_tree(f"ws/\n{names}"))) == ""
