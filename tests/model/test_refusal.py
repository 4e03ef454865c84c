# SPDX-License-Identifier: MIT
"""Where the contract lets a helper refuse a policy, and nowhere else."""

from __future__ import annotations

from typing import Unpack

import pytest

from boxproof.model.access import Meaning
from boxproof.model.case import LEVELS, Level
from boxproof.model.policy import Policy, Rule
from boxproof.model.refusal import refusals
from boxproof.model.resolve import Tree
from tests.model.asked import FARM, Details, expected, meant

LONG = "n" * 200
ODD = "\n".join(
    rf"{name} file" for name in (r"ws/a\x20b", r"ws/a\x3ab", "ws/a,b", "ws/-a", "ws/é", f"ws/{LONG}n", f"ws/{LONG}")
)
"""Names that some helpers cannot write in a command line, each in a farm of its own."""
BOTH = (
    # START-2, and a rule whose object the command could make readable
    ("rw ws; ro ws/locked/id", "START-2"),
    ("rw ws; deny ws/locked/id", "START-2"),
    # BIND-1 and MASK-5: a link that the command can re-point
    ("rw ws; ro ws/way", "MASK-5"),
    ("rw ws; rw ws/way", "MASK-5"),
    ("rw ws; deny ws/way/one", "MASK-5"),
    # BIND-4
    ("ro store/key; rw home/abs", "BIND-4"),
    ("deny store/key; ro home/abs", "BIND-4"),
    # BIND-7
    ("rw ws; ro store//key", "BIND-7"),
    ("rw ws; ro store/./key", "BIND-7"),
    ("rw ws; ro ./store/key", "BIND-7"),
    ("rw ws; ro home/../store/key", "BIND-7"),
    ("rw ws; ro ../case/store/key", "BIND-7"),
    ("rw ws; ro store/keys/..", "BIND-7"),
    ("rw ws; ro store/keys/", "BIND-7"),
    ("rw ws; deny store/key/.", "BIND-7"),
    ("rw ws; ro .", "BIND-7"),
    # MASK-4: dangling, loop, a file as parent, a rewritable link on the way
    ("rw ws; deny ws/gone", "MASK-4"),
    ("rw ws; deny home/to-none", "MASK-4"),
    ("rw ws; deny ws/loop", "MASK-4"),
    ("rw ws; deny ws/file/id", "MASK-4"),
    # MASK-8
    ("rw ws; deny /", "MASK-8"),
    ("rw ws; deny /proc/version", "MASK-8"),
    ("rw ws; deny home/socket", "MASK-8"),
    ("rw ws; deny home/pipe", "MASK-8"),
    # NAME-1
    (r"rw ws; ro ws/a\x20b", "NAME-1"),
    (r"rw ws; ro ws/a\x3ab", "NAME-1"),
    ("rw ws; ro ws/a,b", "NAME-1"),
    ("rw ws; deny ws/-a", "NAME-1"),
    ("rw ws; ro ws/é", "NAME-1"),
    (f"rw ws; ro ws/{LONG}n", "NAME-1"),
    ("rw ws; ro home/odd", "NAME-1"),
    # NEST-2
    ("rw ws; deny store; ro store/key", "NEST-2"),
    ("deny store; rw home/rel", "NEST-2"),
)
"""Rules that may be refused by the requirement named, at every level."""
MUST_ONLY = (
    ("rw ws; rw home/gone", "START-3"),
    ("rw ws; rw home/loop", "START-3"),
    ("rw ws; rw home/none", "START-3"),
    ("rw ws; rw home/file/id", "START-3"),
    ("rw ws; rw home/locked/id", "START-3"),
    ("rw ws; deny ws/none", "MASK-4"),
    ("rw ws; deny ws/none/at/all", "MASK-4"),
    ("rw {farm}; deny store/none", "MASK-4"),
)
"""Rules where a helper should start all the same."""
NEVER = (
    # START-1
    "",
    "rw ws",
    "rw ws; ro store; deny home/key",
    # START-2: ro that leads nowhere
    "rw ws; ro home/gone",
    "rw ws; ro home/loop",
    "rw ws; ro home/none",
    "rw ws; ro home/none/id",
    "rw ws; ro home/file/id",
    "rw ws; ro home/locked/id",
    "rw ws; ro ws/none",
    # BIND-1
    "rw ws; ro home/abs",
    "rw ws; rw home/rel",
    "rw ws; deny home/rel/one",
    # BIND-3, MASK-2
    "rw ws; ro store/key; ro home/abs; ro store/key",
    "rw ws; deny store/key; deny home/abs; deny home/deep/one",
    # BIND-7: three dots are a name, and so is the root
    "rw ws; ro ws/...",
    "rw ws; ro ws/..a",
    "rw ws; ro /",
    # NEST-1
    "rw ws; ro ws/sub; rw ws/sub/one",
    "rw ws; deny ws/sub",
    "rw ws; deny ws/sub; deny ws/sub/one",
    # MASK-4: nothing inside can make it
    "rw ws; deny home/none",
    "rw ws; deny home/none/id",
    "rw ws; deny home/gone",
    "rw ws; deny home/loop",
    "rw ws; deny home/file/id",
    "rw ws; deny home/locked/id",
    "rw ws; ro ws/sub; deny ws/sub/none",
    "rw ws; ro ws/sub; deny ws/sub/none/id",
    "deny ws/none",
    # MASK-8 speaks of denies
    "rw ws; ro home/socket",
    "rw ws; ro home/pipe",
    # START-3: what the model does not know may well be there
    "rw ws; rw /opt/tools",
    # NAME-1: an ordinary name
    f"rw ws; ro ws/{LONG}",
    "rw ws; ro ws/a-b_c.d",
)
DETAILS: Details = {
    "tree": "\n".join(
        (
            ODD,
            *("ws/locked/ mode=0000", "ws/locked/id file", "ws/... file", "ws/..a file", "ws/a-b_c.d file"),
            *("home/to-none -> {farm}/ws/none", "home/socket socket", "home/pipe fifo", r"home/odd -> ../ws/a\x3ab"),
        )
    )
}


def words(rules: str, **details: Unpack[Details]) -> tuple[str, ...]:
    farm: Details = {**DETAILS, **details}
    meaning = meant(rules, **farm)
    return refusals(meaning, details.get("level", "MUST")).words


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("rules", "requirement"), BOTH)
def test_a_refusal_that_a_requirement_allows(rules: str, requirement: str, level: Level) -> None:
    found = words(rules, level=level)
    assert any(word.endswith(f"({requirement})") for word in found), found


@pytest.mark.parametrize(("rules", "requirement"), MUST_ONLY)
def test_a_refusal_where_a_helper_should_start(rules: str, requirement: str) -> None:
    assert [word.rpartition(" ")[2] for word in words(rules)] == [f"({requirement})"]
    assert [word.rpartition(" ")[2] for word in words(rules, level="RECORD")] == [f"({requirement})"]
    assert words(rules, level="SHOULD") == ()


@pytest.mark.parametrize("rules", NEVER)
def test_a_refusal_that_nothing_allows(rules: str) -> None:
    assert words(rules) == ()


@pytest.mark.parametrize(("rules", "requirement"), BOTH)
def test_only_what_there_is_to_say_is_said(rules: str, requirement: str) -> None:
    """Where a spelling has one thing about it, one requirement is named, or two that speak of the same."""
    said = {word.rpartition("(")[2].rstrip(")") for word in words(rules)}
    together = ({"START-2", "MASK-4"}, {"MASK-4", "MASK-5"}, {"MASK-8", "NEST-2"})
    assert said == {requirement} or any(requirement in said <= group for group in together), said


@pytest.mark.parametrize(
    ("rules", "details", "refusable"),
    (
        ("rw ws", {"cwd": "ws"}, False),
        ("rw ws", {"cwd": "home"}, False),
        ("rw home/rel", {"cwd": "home/rel"}, False),
        ("rw home/rel", {"cwd": "home/rel", "reads": "listed"}, False),
        ("rw ws", {"cwd": "home", "reads": "listed"}, True),
        ("rw ws; deny home", {"cwd": "home"}, True),
        ("rw ws; deny home/rel", {"cwd": "store/keys"}, True),
        ("rw ws", {"cwd": "home/none"}, True),
        ("rw ws", {"cwd": "home/gone"}, True),
        ("rw ws", {"cwd": "home/loop"}, True),
        ("rw ws", {"cwd": "ws/file"}, True),
    ),
)
def test_a_working_folder_that_is_none(rules: str, details: Details, *, refusable: bool) -> None:
    assert any("(BIND-6)" in word for word in words(rules, **details)) is refusable


@pytest.mark.parametrize(("count", "refusable"), ((999, False), (1000, True)))
def test_a_thousand_rules(count: int, *, refusable: bool) -> None:
    known = meant("")
    rules = tuple(Rule("ro", "store/key") for _ in range(count))
    meaning = Meaning(Tree(known.tree.topology, FARM), Policy("ws", rules))
    assert bool(refusals(meaning, "MUST").words) is refusable
    assert refusals(meaning, "SHOULD").words == ()


def test_a_reason_is_given_once() -> None:
    assert len(words("rw ws; ro ws/way; ro ws/way/one")) == 1


def test_the_reasons_reach_the_expectation() -> None:
    found = expected("rw ws; ro ws/way; rw home/none")
    assert found.launch == {"ran", "refused"}
    repoint = "a rule crosses a link that the command could re-point (MASK-5)"
    assert found.why == f"{repoint}; an rw rule leads nowhere (START-3)"
    assert expected("rw ws").launch == {"ran"}
    assert expected("rw ws").why == ""
