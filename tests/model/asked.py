# SPDX-License-Identifier: MIT
"""A small farm for tables of cases: what a policy means on it, and what may come of a probe."""

from __future__ import annotations

from typing import Final, TypedDict, Unpack

from boxproof.model.access import Meaning
from boxproof.model.case import Case, Level
from boxproof.model.oracle import expect
from boxproof.model.outcome import Expectation
from boxproof.model.policy import Policy, Reads, parse_rule
from boxproof.model.probe import parse_probe
from boxproof.model.resolve import Tree
from boxproof.model.tree import parse_tree

FARM: Final = "/farm/of/case"
TREE: Final = """
    ws/
    ws/file         file
    ws/sub/
    ws/sub/one      file
    ws/way          -> {farm}/store/keys
    ws/gone         -> none
    ws/loop         -> loop
    store/
    store/key       file
    store/keys/
    store/keys/one  file
    home/
    home/file       file
    home/key        file
    home/abs        -> {farm}/store/key
    home/rel        -> ../store/keys
    home/deep       -> ../store/keys
    home/gone       -> ../store/none
    home/loop       -> loop
    home/to-ws      -> ../ws/file
    home/locked/    mode=0000
    home/locked/id  file
    """
YES: Final = "allowed"
NO: Final = "absent|denied"
EITHER: Final = "absent|allowed|denied"
ANY: Final = "any"


class Details(TypedDict, total=False):
    """What a test says besides rules: more lines of the tree, and fields of the policy and the case."""

    tree: str
    reads: Reads
    level: Level
    cwd: str


def asked(rules: str, probes: str = "", **details: Unpack[Details]) -> Case:
    """Return a case; `rules` and `probes` are in the notation of the case file, joined by ``; ``."""
    return Case(
        "a",
        "START-1",
        "a title",
        parse_tree(f"{TREE}\n{details.get('tree', '')}"),
        Policy(
            details.get("cwd", "ws"),
            tuple(map(parse_rule, filter(None, rules.split("; ")))),
            details.get("reads", "everything"),
        ),
        tuple(map(parse_probe, filter(None, probes.split("; ")))),
        details.get("level", "MUST"),
    )


def meant(rules: str, **details: Unpack[Details]) -> Meaning:
    """Return what a policy means."""
    case = asked(rules, **details)
    return Meaning(Tree(case.topology, FARM), case.policy, case.level)


def expected(rules: str, probes: str = "", **details: Unpack[Details]) -> Expectation:
    """Return what may come of a case."""
    return expect(asked(rules, probes, **details), FARM)


def outcomes(rules: str, probe: str, **details: Unpack[Details]) -> str:
    """Return what may come of the last of the probes, in words joined by ``|`` in the order of the alphabet."""
    return "|".join(sorted(expected(rules, probe, **details).probes[-1].outcomes))


def inside(path: str) -> str:
    """Return the canonical path of something in the farm."""
    return f"{FARM}/{path}"
