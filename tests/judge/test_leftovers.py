# SPDX-License-Identifier: MIT
"""What interrupted helpers leave, what grows from run to run, and what the host shows meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from attrs import evolve

from boxproof.grounds.launch import Launch
from boxproof.judge import Evidence
from boxproof.judge.leftovers import Interrupted, judge_growth, judge_interrupted, judge_outlived, judge_watched
from boxproof.model.process import Process
from boxproof.snapshot import Node
from tests.judge.scene import NOTHING, RAN, Details, evidence, made

KILLED = evolve(RAN, status=None, signal=9)
LEFT = evolve(KILLED, left=("17 /usr/bin/sleep 1000",))
HUNG = evolve(RAN, status=None, signal=9, timed_out=True)
NEW = {"farm/ws/placeholder": made("placeholder")}


def interrupted(
    requirement: str, signal: str, launch: Launch, host: Mapping[str, Node | None]
) -> tuple[Evidence, Process]:
    details: Details = {"launch": launch, "said": NOTHING, "host": host}
    found = evidence("read ws/file: allowed", **details)
    process = Process(signal=signal, moment="starting", times=2)
    return evolve(found, case=evolve(found.case, requirement=requirement, process=process)), process


@pytest.mark.parametrize(
    ("requirement", "signal", "launch", "host", "wanted"),
    (
        ("HOST-3", "KILL", LEFT, {}, ["leftover"]),
        ("HOST-3", "KILL", KILLED, {}, []),
        ("HOST-2", "KILL", LEFT, NEW, []),
        ("HOST-1", "TERM", KILLED, NEW, ["host-change"]),
        ("HOST-1", "TERM", KILLED, {}, []),
        ("PROC-6", "TERM", HUNG, {}, ["hang"]),
        ("PROC-6", "TERM", LEFT, {}, ["leftover"]),
        ("HOST-1", "INT", HUNG, NEW, []),
        ("HOST-1", "INT", KILLED, NEW, ["host-change"]),
        ("HOST-1", "KILL", KILLED, NEW, []),
        ("HOST-2", "TERM", KILLED, NEW, []),
        ("ESC-1", "TERM", KILLED, NEW, []),
        ("START-1", "TERM", HUNG, NEW, []),
    ),
)
def test_each_requirement_looks_at_its_own(
    requirement: str, signal: str, launch: Launch, host: Mapping[str, Node | None], wanted: list[str]
) -> None:
    found, process = interrupted(requirement, signal, launch, host)
    findings = judge_interrupted([(found, Interrupted(found.seen, 0.004))], process)
    assert [(finding.kind, finding.requirement) for finding in findings] == [(kind, requirement) for kind in wanted]


def test_one_fault_at_two_moments_is_told_once() -> None:
    found, process = interrupted("HOST-3", "KILL", LEFT, {})
    both = [(found, Interrupted(found.seen, at)) for at in (0.004, 0.0125)]
    (finding,) = judge_interrupted(both, process)
    assert finding.seen == ("still running: /usr/bin/sleep; 2 of 2 times (SIGKILL 4.0, 12.5 ms after the start)")


def test_five_moments_are_enough_and_the_first_fault_is_shown() -> None:
    found, process = interrupted("HOST-3", "KILL", LEFT, {})
    other = evolve(found, seen=evolve(found.seen, launch=evolve(KILLED, left=("18 /usr/bin/cat",))))
    launches = [(one, Interrupted(one.seen, 0.5 * number)) for number, one in enumerate([found, *[other] * 5], 1)]
    (finding,) = judge_interrupted(launches, evolve(process, moment="running"))
    assert finding.seen == (
        "still running: /usr/bin/sleep; 6 of 6 times"
        " (SIGKILL 500.0, 1000.0, 1500.0, 2000.0, 2500.0 ms after the command waits)"
    )


def test_moments_that_are_calls_are_told_by_their_names() -> None:
    found, process = interrupted("HOST-3", "KILL", LEFT, {})
    both = [(found, Interrupted(found.seen, call=call)) for call in ("clone 2", "prctl 1")]
    (finding,) = judge_interrupted(both, evolve(process, moment="calling", times=20))
    assert finding.seen == "still running: /usr/bin/sleep; 2 of 2 times (SIGKILL at clone 2, prctl 1)"


@pytest.mark.parametrize(
    ("names", "wanted"),
    (
        ((("a",), ("a", "b"), ("a", "b", "c")), ["host-change"]),
        ((("a",), ("a",), ("a",)), []),
        ((("a",), ("a", "b"), ("a", "b")), []),
        ((("a",), ("a", "b"), ("b",)), []),
        ((("a",),), []),
    ),
)
def test_declared_leftovers_may_be_there_and_not_grow(names: Sequence[Sequence[str]], wanted: list[str]) -> None:
    found = evidence("read ws/file: allowed", declared=("tmp/*",))
    runs = [evolve(found.seen, after={f"/b/tmp/{name}": made(name) for name in each}) for each in names]
    assert [finding.kind for finding in judge_growth(found, runs, [])] == wanted


def test_what_grows_is_shown_by_what_the_last_run_added() -> None:
    found = evidence("read ws/file: allowed", declared=("tmp/*", "files/*"))
    states = [{f"/b/tmp/{name}": made(name) for name in names} for names in ("d", "dc", "dcb", "dcba")]
    runs = [evolve(found.seen, after=state) for state in states]
    (finding,) = judge_growth(found, runs, [])
    assert finding.seen == "each run adds some, such as {base}/tmp/a"


@pytest.mark.parametrize("place", ("home", "files"))
def test_what_is_not_declared_and_the_policies_may_grow(place: str) -> None:
    found = evidence("read ws/file: allowed", declared=("tmp/*", "files/*"))
    states = [{f"/b/{place}/{name}": made(name) for name in names} for names in ("a", "ab", "abc")]
    assert judge_growth(found, [evolve(found.seen, after=state) for state in states], []) == []


@pytest.mark.parametrize(
    ("counts", "wanted"),
    (
        ((0, 1, 2, 3), ["leftover"]),
        ((0, 1, 2), ["leftover"]),
        ((0, 1, 1, 1), []),
        ((5, 5, 5, 5), []),
        ((0, 1), []),
    ),
)
def test_shared_memory_does_not_grow_with_every_run(counts: tuple[int, ...], wanted: list[str]) -> None:
    looks = [frozenset(f"shm {number}" for number in range(count)) for count in counts]
    assert [finding.kind for finding in judge_growth(evidence("read ws/file: allowed"), [], looks)] == wanted


def test_a_mount_that_stays_is_found() -> None:
    found = evidence("read ws/file: allowed")
    before, after = frozenset({"1 / ext4"}), frozenset({"1 / ext4", "9 /b/farm/ws tmpfs"})
    assert [finding.kind for finding in judge_outlived(found, before, after)] == ["leftover"]
    assert judge_outlived(found, after, before) == []


@pytest.mark.parametrize(("declared", "wanted"), (((), 1), (("farm/*",), 1), (("tmp/*",), 1)))
def test_a_placeholder_in_the_farm_is_seen_while_the_command_runs(declared: tuple[str, ...], wanted: int) -> None:
    found = evidence("read ws/file: allowed", declared=declared)
    during = {**found.seen.before, "/b/farm/placeholder": made("placeholder"), "/b/tmp/state": made("state")}
    findings = [finding.path for finding in judge_watched(found, during)]
    assert findings.count("placeholder") == wanted
    assert ("{base}/tmp/state" in findings) == (declared != ("tmp/*",))
    assert judge_watched(found, found.seen.before) == []


def test_what_the_command_did_before_it_waits_is_no_placeholder() -> None:
    found = evidence("mkdir store/new: any", declared=("tmp/*",), secret=("store/key",))
    copy = made("copy", content=b"<store/key>\n")
    during = {**found.seen.before, "/b/farm/store/new": made("new", "folder"), "/b/tmp/copy": copy}
    assert judge_watched(found, during) == []
