# SPDX-License-Identifier: MIT
"""The second policy of a relation: what it is, and when there is none."""

from __future__ import annotations

import pytest
from attrs import evolve

from boxproof.model.case import RELATIONS, Case, Relation
from boxproof.model.policy import Policy, format_rule, parse_rule
from boxproof.model.probe import Probe
from boxproof.model.relations import WORDS, object_of, related
from boxproof.model.resolve import Tree
from boxproof.model.tree import parse_tree

TREE = parse_tree("ws/\nws/back -> ../store\nstore/\nstore/key file\nlink -> store")


def case_of(relation: Relation, *rules: str) -> Case:
    policy = Policy("ws", tuple(map(parse_rule, rules)))
    return Case("one", "BIND-2", "", TREE, policy, relation=relation)


def rules_of(case: Case | None) -> list[str]:
    return [format_rule(rule) for rule in case.policy.rules] if case else []


@pytest.mark.parametrize(
    ("relation", "expected"),
    (
        ("reversed", ["deny link/key", "rw ws"]),
        ("repeated", ["rw ws", "deny link/key", "rw ws"]),
        ("respelled", ["rw ws", "deny store/key"]),
        ("unresolvable-added", ["ro none/none", "rw ws", "deny link/key"]),
    ),
)
def test_it_differs_in_one_thing(relation: Relation, expected: list[str]) -> None:
    case = case_of(relation, "rw ws", "deny link/key")
    other = related(case)
    assert rules_of(other) == expected
    assert other == evolve(case, policy=other.policy if other else case.policy, relation="")


@pytest.mark.parametrize(
    ("relation", "rules"),
    (
        ("", ("rw ws", "deny link/key")),
        ("repeated", ()),
        ("respelled", ("rw ws", "deny store/key")),
        ("respelled", ("rw ws", "deny ws/back/key")),
        ("respelled", ("rw ws", "deny link/../link/key")),
    ),
)
def test_there_may_be_no_other_policy(relation: Relation, rules: tuple[str, ...]) -> None:
    assert related(case_of(relation, *rules)) is None


def test_spellings_of_one_object_are_taken_together() -> None:
    tree = Tree(TREE)
    assert object_of(Probe("read", "link/key"), tree) == object_of(Probe("read", "store/key"), tree)
    assert object_of(Probe("create", "link/new"), tree) == f"{tree.farm}/store"


def test_every_relation_has_words() -> None:
    assert set(WORDS) == set(RELATIONS) - {""}
