# SPDX-License-Identifier: MIT
"""What must not come out of a race, known by tokens and not by names."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from attrs import evolve

from boxproof.grounds.launch import Launch
from boxproof.judge import Evidence
from boxproof.judge.race import came_out, judge_race
from boxproof.model.swap import Swap
from boxproof.snapshot import Node
from tests.judge.scene import CANARY, NOTHING, RAN, REFUSED, Details, Said, evidence, made, marked

ONE = Swap("ws/file", "ws/spare", "engine", ("store/key",))
BOTH = Swap("ws/file", "ws/spare", "chance", ("store/key", "store/other"), 3)
SECRET = Said(answers={0: "ok <store/key>"})
TWO = Said(answers={0: "ok <store/key>", 1: "ok <store/other>"})


def raced(said: Said, *, launch: Launch = RAN, host: Mapping[str, Node | None] | None = None) -> Evidence:
    details: Details = {"said": said, "launch": launch, "host": host or {}}
    return evidence("read ws/file: denied", "read ws/spare: denied", CANARY, **details)


@pytest.mark.parametrize(
    ("said", "swap", "wanted"),
    (
        (SECRET, ONE, ["leak"]),
        (Said(answers={0: "no", 1: "no"}), ONE, []),
        (Said(answers={0: "ok <ws/file>", 1: "no"}), ONE, []),
        (Said(answers={0: "ok <store/key>", 1: "no"}), BOTH, []),
        (TWO, BOTH, ["leak"]),
        (NOTHING, ONE, []),
    ),
)
def test_reading_is_known_by_the_token(said: Said, swap: Swap, wanted: list[str]) -> None:
    assert [finding.kind for finding in judge_race(raced(said), swap, "")] == wanted


def test_writing_is_known_by_the_mark_beside_the_token() -> None:
    hit = {"farm/ws/elsewhere": made("x", content=marked(0, b"<store/key>\n"))}
    miss = {"farm/ws/elsewhere": made("x", content=marked(0, b"<ws/file>\n"))}
    quiet = Said(answers={0: "no", 1: "no"})
    assert [finding.kind for finding in judge_race(raced(quiet, host=hit), ONE, "")] == ["escape"]
    assert judge_race(raced(quiet, host=miss), ONE, "") == []


def test_the_text_of_a_link_is_nothing_written() -> None:
    link = {"farm/ws/elsewhere": made("x", "link", marked(0, b"<store/key>\n"))}
    assert judge_race(raced(Said(answers={0: "no", 1: "no"}), host=link), ONE, "") == []


def test_what_came_out_is_told_by_its_first_object() -> None:
    (finding,) = judge_race(raced(TWO), BOTH, "")
    assert (finding.path, finding.seen) == ("store/key", "read")
    assert finding.expected == (
        "store/key and store/other, as they lay at the start, not read where ws/file and ws/spare change places"
    )


def test_a_refusal_is_no_finding_and_nothing_confined_is_one() -> None:
    assert judge_race(raced(NOTHING, launch=REFUSED), ONE, "") == []
    free = Said(answers={0: "no", 1: "no", 2: "ok"}, landed={2: ("outside/canary",)})
    assert [finding.kind for finding in judge_race(raced(free), ONE, "")] == ["unsandboxed"]


def test_how_a_round_was_made_is_told() -> None:
    (finding,) = judge_race(raced(SECRET), ONE, "round 2 of 3, seed 'x 1'")
    assert finding.seen == "read (round 2 of 3, seed 'x 1')"


def test_a_control_has_to_reach_all_of_it() -> None:
    found = raced(SECRET)
    assert came_out(found, ONE)
    assert not came_out(found, BOTH)
    assert not came_out(evolve(found, tokens={}), ONE)


def test_a_control_may_read_some_and_write_the_rest() -> None:
    other = {"farm/ws/elsewhere": made("x", content=marked(0, b"<store/other>\n"))}
    assert came_out(raced(SECRET, host=other), BOTH)
    assert came_out(raced(TWO, host=other), BOTH)
