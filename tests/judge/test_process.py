# SPDX-License-Identifier: MIT
"""What a command tells of itself: each fault is found, and nothing is a pass that the control could not have shown."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from attrs import evolve

from boxproof.grounds.launch import Launch
from boxproof.judge import judge
from boxproof.judge.process import judge_command
from boxproof.model.case import Level
from boxproof.model.outcome import Judgement, Verdict
from boxproof.model.process import ASKED, Asked, Command, Process
from boxproof.probe.facts import Facts
from tests.judge.scene import NOTHING, RAN, REFUSED, Said, evidence

BARE = "CapEff:\t0\nCapPrm:\t0\nCapAmb:\t0\nNoNewPrivs:\t1\nSigIgn:\t1\nSigBlk:\t0\n"
ROOT = BARE.replace("CapEff:\t0", "CapEff:\tff")
KNOWN = {
    "arguments": b"one\0",
    "status": BARE.encode(),
    "descriptors": b"",
    "streams": b"0 closed\n1 open\n2 open\n",
    "processes": b"",
    "umask": b"0027\n",
    "limits": b"Max open files 64\n",
    "environment": b"A=b\0",
    "cwd": b"/b/farm/ws\n",
}
CONTROL = {**KNOWN, "descriptors": b"3\n200\n", "processes": b"seen\n"}
ROWS: Mapping[str, Asked] = {
    "CapEff": "capabilities",
    "CapPrm": "capabilities",
    "CapAmb": "capabilities",
    "NoNewPrivs": "no-new-privs",
    "SigIgn": "ignored",
    "SigBlk": "blocked",
}
PAYLOAD = random.Random("payload").randbytes(4096)  # noqa: S311 - no secret


def judged(  # noqa: PLR0913 - keywords, each for one thing
    process: Process,
    seen: Mapping[str, bytes] = KNOWN,
    control: Mapping[str, bytes] = CONTROL,
    *,
    requirement: str = "PROC-1",
    level: Level = "MUST",
    launch: Launch = RAN,
    said: Said = Said(),  # noqa: B008 - frozen
    extra: bytes = b"",
    copied: bytes = b"",
    arrived: tuple[int, int] = (0, 1),
    network: bool = False,
    isolates: bool = True,
) -> Judgement:
    found = evidence("read ws/file: allowed", launch=launch, said=evolve(said, extra=extra), control=Said(extra=copied))
    kind = next(iter(process.asks), "tcp")
    case = evolve(
        found.case,
        process=process,
        requirement=requirement,
        level=level,
        policy=evolve(found.case.policy, network=network),
    )
    return judge(
        evolve(
            found,
            case=case,
            isolates=isolates,
            payload=PAYLOAD if process.echoes else b"",
            seen=evolve(found.seen, facts=Facts(seen), arrived={kind: arrived[0]}),
            control=evolve(found.control, facts=Facts(control), arrived={kind: arrived[1]}),
        )
    )


def kinds(judgement: Judgement) -> list[str]:
    assert (judgement.verdict is Verdict.FAIL) == bool(judgement.findings)
    return [finding.kind for finding in judgement.findings]


def told(name: str, text: str) -> dict[str, bytes]:
    return {**KNOWN, name: text.encode()}


def without(row: str) -> dict[str, bytes]:
    kept = [line for line in BARE.splitlines(keepends=True) if not line.startswith(f"{row}:")]
    return {**CONTROL, "status": "".join(kept).encode()}


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("value", ("", "\t", "\tnone"))
def test_a_status_without_its_row_is_neither_a_pass_nor_a_fault(row: str, value: str) -> None:
    seen = without(row)
    if value:
        seen["status"] += f"{row}:{value}\n".encode()
    judgement = judged(Process(asks=(ROWS[row],)), seen)
    assert (judgement.verdict, judgement.findings) == (Verdict.NOT_APPLICABLE, ())
    assert ROWS[row] in judgement.reason


@pytest.mark.parametrize("word", ASKED)
def test_a_command_as_it_should_be_passes(word: Asked) -> None:
    process = Process(asks=(word,), passes=(3, 200), closed=(0,))
    assert judged(process).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("word", "seen", "kind"),
    (
        ("capabilities", told("status", ROOT), "privileged"),
        ("capabilities", told("status", BARE.replace("CapAmb:\t0", "CapAmb:\t400")), "privileged"),
        ("no-new-privs", told("status", BARE.replace("NoNewPrivs:\t1", "NoNewPrivs:\t0")), "privileged"),
        ("processes", told("processes", "seen\n"), "privileged"),
        ("descriptors", told("descriptors", "200\n"), "inherited"),
        ("streams", told("streams", "0 open\n1 open\n2 open\n"), "inherited"),
        ("ignored", told("status", BARE.replace("SigIgn:\t1", "SigIgn:\t1001")), "altered"),
        ("blocked", told("status", BARE.replace("SigBlk:\t0", "SigBlk:\t2")), "altered"),
        ("umask", told("umask", "0022\n"), "altered"),
        ("umask", told("umask", "0077\n"), "altered"),
        ("ignored", told("status", BARE.replace("SigIgn:\t1", "SigIgn:\t0")), "altered"),
        ("no-new-privs", told("status", BARE.replace("NoNewPrivs:\t1", "NoNewPrivs:\t2")), "privileged"),
        ("limits", told("limits", "Max open files 1024\n"), "altered"),
        ("environment", told("environment", "A=\0"), "altered"),
        ("arguments", told("arguments", "o n e\0"), "altered"),
        ("cwd", told("cwd", "/\n"), "altered"),
    ),
)
def test_a_fault_is_found(word: Asked, seen: Mapping[str, bytes], kind: str) -> None:
    assert set(kinds(judged(Process(asks=(word,), passes=(3, 200), closed=(0,)), seen))) == {kind}


@pytest.mark.parametrize(
    ("network", "arrived", "wanted"), ((False, 1, ["network"]), (True, 0, ["overblock"]), (True, 1, []))
)
@pytest.mark.parametrize("word", ("tcp", "udp", "abstract"))
def test_arrivals_are_counted_outside(word: Asked, network: bool, arrived: int, wanted: list[str]) -> None:  # noqa: FBT001
    assert kinds(judged(Process(asks=(word,)), arrived=(arrived, 1), network=network)) == wanted


def test_without_a_user_namespace_root_keeps_what_it_had() -> None:
    rooted = {**CONTROL, "status": ROOT.encode()}
    process = Process(asks=("capabilities",))
    assert judged(process, told("status", ROOT), rooted, isolates=False).verdict is Verdict.PASS
    assert kinds(judged(process, told("status", ROOT), rooted)) == ["privileged"]
    assert kinds(judged(process, told("status", ROOT), CONTROL, isolates=False)) == ["privileged"]


@pytest.mark.parametrize(
    ("word", "control"),
    (
        ("descriptors", {**CONTROL, "descriptors": b"3\n"}),
        ("processes", {**CONTROL, "processes": b""}),
        ("ignored", {"arguments": b"one\0"}),
        ("cwd", {"arguments": b"one\0"}),
        *((word, without(row)) for row, word in ROWS.items()),
    ),
)
def test_what_the_control_cannot_see_is_an_error(word: Asked, control: Mapping[str, bytes]) -> None:
    assert judged(Process(asks=(word,), passes=(3, 200)), control=control).verdict is Verdict.ERROR


def test_a_listener_that_is_never_reached_is_an_error() -> None:
    assert judged(Process(asks=("tcp",)), arrived=(0, 0)).verdict is Verdict.ERROR


@pytest.mark.parametrize("word", ("descriptors", "streams", "processes"))
def test_what_cannot_be_told_inside_is_no_pass(word: Asked) -> None:
    judgement = judged(Process(asks=(word,), passes=(3, 200)), told(word, "unknown\n"))
    assert (judgement.verdict, judgement.reason[:13]) == (Verdict.NOT_APPLICABLE, "inconclusive:")


@pytest.mark.parametrize(
    ("launch", "said", "kind"), ((RAN, Said(finished=False), "crash"), (REFUSED, NOTHING, "no-start"))
)
@pytest.mark.parametrize("tells", ("unknown\n", "200\n"))
def test_a_command_that_was_cut_short_is_not_judged_by_what_it_told(
    launch: Launch, said: Said, kind: str, tells: str
) -> None:
    process = Process(asks=("descriptors",), passes=(3, 200))
    assert kinds(judged(process, told("descriptors", tells), launch=launch, said=said)) == [kind]


@pytest.mark.parametrize(
    ("process", "status", "signal", "wanted"),
    (
        (Process(status=42), 42, None, []),
        (Process(status=42), 0, None, ["status-lost"]),
        (Process(status=42), 1, None, ["status-lost"]),
        (Process(dies="TERM"), None, 15, []),
        (Process(dies="TERM"), 143, None, []),
        (Process(dies="TERM"), 0, None, ["status-lost"]),
        (Process(dies="TERM"), None, 9, ["status-lost"]),
    ),
)
def test_the_status_is_the_commands(
    process: Process, status: int | None, signal: int | None, wanted: list[str]
) -> None:
    found = evidence("read ws/file: allowed", launch=evolve(RAN, status=status, signal=signal))
    assert kinds(judge(evolve(found, case=evolve(found.case, process=process)))) == wanted


@pytest.mark.parametrize(
    ("level", "extra", "stderr", "wanted"),
    (
        ("MUST", PAYLOAD, b"", []),
        ("MUST", b"hello\n" + PAYLOAD, b"", []),
        ("MUST", PAYLOAD[:-1], b"", ["altered"]),
        ("MUST", PAYLOAD.replace(b"\n", b"\r\n"), b"", ["altered"]),
        ("SHOULD", PAYLOAD, b"", []),
        ("SHOULD", b"hello\n" + PAYLOAD, b"", ["stream-dirty"]),
        ("SHOULD", PAYLOAD, b"warning\n", ["stream-dirty"]),
        ("SHOULD", PAYLOAD, PAYLOAD, ["stream-dirty"]),
        ("SHOULD", PAYLOAD * 2, b"", ["stream-dirty"]),
        ("RECORD", b"hello\n" + PAYLOAD, b"", []),
    ),
)
def test_bytes_pass_as_they_are(level: Level, extra: bytes, stderr: bytes, wanted: list[str]) -> None:
    process, launch = Process(echoes="stdout"), evolve(RAN, stderr=stderr)
    found = judged(process, requirement="PROC-2", level=level, extra=extra, copied=PAYLOAD, launch=launch)
    assert kinds(found) == wanted


def test_bytes_that_do_not_pass_without_the_helper_are_an_error() -> None:
    for copied in (b"", PAYLOAD[:-1], PAYLOAD + b"x"):
        found = judged(Process(echoes="stdout"), requirement="PROC-2", extra=PAYLOAD, copied=copied)
        assert found.verdict is Verdict.ERROR


@pytest.mark.parametrize(
    ("level", "status", "stderr", "wanted"),
    (
        ("MUST", 1, b"", []),
        ("MUST", 0, b"", ["status-lost"]),
        ("SHOULD", 127, b"no such command\n", []),
        ("SHOULD", 1, b"no such command\n", ["status-lost"]),
        ("SHOULD", 101, b"thread 'main' panicked at src/main.rs:1\n", ["crash", "status-lost"]),
    ),
)
def test_a_missing_command_is_no_success(level: Level, status: int, stderr: bytes, wanted: list[str]) -> None:
    found = evidence("read ws/file: allowed", launch=evolve(RAN, status=status, stderr=stderr), said=NOTHING)
    case = evolve(found.case, process=Process(command="missing"), level=level, requirement="PROC-3")
    assert kinds(judge_command(evolve(found, case=case))) == wanted


@pytest.mark.parametrize(("command", "status"), (("missing", 127), ("not-executable", 126), ("folder", 126)))
def test_what_cannot_be_executed_has_the_status_that_a_shell_gives(command: Command, status: int) -> None:
    found = evidence("read ws/file: allowed", said=NOTHING)
    case = evolve(found.case, process=Process(command=command), level="SHOULD", requirement="PROC-3")
    for given in (status - 1, status, status + 1):
        seen = evolve(found.seen, launch=evolve(REFUSED, status=given))
        judgement = judge_command(evolve(found, case=case, seen=seen))
        assert (kinds(judgement), judgement.launch) == ([] if given == status else ["status-lost"], "refused")


def test_a_helper_that_dies_of_a_missing_command_has_lost_no_status() -> None:
    found = evidence("read ws/file: allowed", launch=evolve(RAN, status=None, signal=9), said=NOTHING)
    case = evolve(found.case, process=Process(command="missing"), requirement="PROC-3")
    judgement = judge_command(evolve(found, case=case))
    assert (judgement.verdict, judgement.launch) == (Verdict.PASS, "")


@pytest.mark.parametrize(
    ("before", "now", "words"),
    (
        (b"a\nb\nc\n", b"a\nx\ny\n", ("limits, as the caller had it: 'b'", "'x'")),
        (b"a\n", b"a\nb\n", ("limits, as the caller had it: '1 lines'", "'2 lines'")),
        (b"x\n", b"a\n", ("limits, as the caller had it: 'x'", "'a'")),
    ),
)
def test_what_is_altered_is_told_by_the_first_line_that_differs(
    before: bytes, now: bytes, words: tuple[str, str]
) -> None:
    (found,) = judged(Process(asks=("limits",)), {**KNOWN, "limits": now}, {**CONTROL, "limits": before}).findings
    assert (found.expected, found.seen) == words


@pytest.mark.parametrize(("wanted", "given"), ((0, 7), (42, 0)))
def test_another_status_without_the_helper_is_an_error(wanted: int, given: int) -> None:
    found = evidence("read ws/file: allowed")
    case = evolve(found.case, process=Process(status=wanted))
    control = evolve(found.control, facts=Facts(CONTROL), launch=evolve(RAN, status=given))
    judgement = judge(evolve(found, case=case, control=control))
    assert judgement.verdict is Verdict.ERROR
    assert judgement.reason == f"without the helper the command ends with {given} instead of {wanted}"


def test_a_command_that_dies_of_its_signal_without_the_helper_too_is_no_error() -> None:
    found = evidence("read ws/file: allowed", launch=evolve(RAN, status=None, signal=15))
    case = evolve(found.case, process=Process(dies="TERM"))
    control = evolve(found.control, facts=Facts(CONTROL), launch=evolve(RAN, status=None, signal=15))
    seen = evolve(found.seen, facts=Facts(KNOWN))
    assert judge(evolve(found, case=case, control=control, seen=seen)).verdict is Verdict.PASS


@pytest.mark.parametrize("requirement", ("PROC-1", "PROC-3"))
def test_bytes_are_the_business_of_one_requirement(requirement: str) -> None:
    process = Process(echoes="stdout")
    assert judged(process, requirement=requirement, extra=b"other", copied=PAYLOAD).verdict is Verdict.PASS


def test_the_control_may_see_more_descriptors_than_were_passed() -> None:
    assert judged(Process(asks=("descriptors",), passes=(3,))).verdict is Verdict.PASS


def test_a_listener_that_was_not_there_has_counted_nothing() -> None:
    found = evidence("read ws/file: allowed")
    case = evolve(found.case, process=Process(asks=("tcp",)))
    seen = evolve(found.seen, facts=Facts(KNOWN))
    control = evolve(found.control, facts=Facts(CONTROL))
    assert judge(evolve(found, case=case, seen=seen, control=control)).verdict is Verdict.ERROR
    reached = evolve(control, arrived={"tcp": 1})
    assert judge(evolve(found, case=case, seen=seen, control=reached)).verdict is Verdict.PASS


def test_of_what_is_on_a_stream_eighty_bytes_are_shown() -> None:
    process = Process(echoes="stdout")
    judgement = judged(process, requirement="PROC-2", level="SHOULD", extra=PAYLOAD + b"x" * 99, copied=PAYLOAD)
    assert [finding.seen for finding in judgement.findings] == [repr("x" * 80)]
