# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from boxproof.model.case import Case
from boxproof.reducing.repair import explained_by, repairs
from tests.reducing.helpers import Counted, denied_twice, make, rules_of, through

PAIR = make("key file\none -> key", "deny key", "deny one", cwd="{farm}")
ABSOLUTE = make("key file\none -> {farm}/key", "deny one", cwd="{farm}")
NESTED = make("dir/\ndir/key file", "rw dir", "deny dir/key", cwd="{farm}")

TREE = """
    ws/
    a/
    a/key  file
    b/
    b/one  -> ../a/key
    b/two  -> ../a/key
    b/abs  -> {farm}/a/key
    """


@pytest.mark.parametrize(
    ("rules", "known"),
    (
        (("rw ws", "deny a/key", "deny b/one"), True),
        (("deny b/two", "rw ws", "ro b", "deny a/key", "deny b/one"), True),
        (("deny a/key", "deny b/abs"), True),
        (("rw ws", "deny b/one"), False),
        (("ro a/key", "deny b/one"), False),
        (("deny a/key", "deny a"), False),
    ),
)
def test_a_case_that_holds_the_known_pattern_is_explained(rules: tuple[str, ...], *, known: bool) -> None:
    assert explained_by(PAIR, make(TREE, *rules), denied_twice) is known


def test_a_second_bug_beside_a_known_one_is_not_hidden() -> None:
    def fails(case: Case) -> bool:
        return denied_twice(case) or any(rule.access == "ro" for rule in case.policy.rules)

    assert not explained_by(PAIR, make(TREE, "deny a/key", "deny b/one", "ro b"), fails)
    assert explained_by(PAIR, make(TREE, "deny a/key", "deny b/one"), fails)


def test_the_rule_is_spelled_by_the_real_path() -> None:
    repaired, alone = repairs(PAIR, make(TREE, "rw ws", "deny b/one", "deny a/key"))
    assert rules_of(repaired) == ["rw ws", "deny a/key", "deny a/key"]
    assert rules_of(alone) == ["rw ws", "deny b/one"]


def test_where_the_spelling_is_plain_the_narrowest_rule_is_dropped() -> None:
    (repaired,) = repairs(NESTED, make(TREE, "deny a/key", "rw a"))
    assert rules_of(repaired) == ["rw a"]


def test_an_absolute_link_is_not_known_by_a_relative_one() -> None:
    fails = through("{farm}")
    assert explained_by(ABSOLUTE, make(TREE, "rw ws", "deny b/abs"), fails)
    assert not explained_by(ABSOLUTE, make(TREE, "rw ws", "deny b/one"), lambda _: True)


def test_a_linked_working_folder_is_repaired() -> None:
    known = make("ws/\nwork -> {farm}/ws", cwd="work")
    case = make("a/\na/b/\nlink -> {farm}/a/b", "ro a", cwd="link")
    (repaired,) = repairs(known, case)
    assert repaired.policy.cwd == "a/b"


def test_what_only_the_known_tree_holds_is_part_of_the_pattern() -> None:
    known = make("dir/\ndir/sock socket", "ro dir", cwd="{farm}")
    assert not explained_by(known, make("ws/\ndir/\ndir/gone -> nothing", "ro dir"), lambda _: False)


def test_a_bug_of_one_rule_is_not_hidden_by_one_of_two() -> None:
    def fails(case: Case) -> bool:
        return denied_twice(case) or through("{farm}")(case)

    assert not explained_by(PAIR, make(TREE, "deny a/key", "deny b/abs"), fails)
    assert explained_by(PAIR, make(TREE, "deny a/key", "deny b/one", "deny b/two"), fails)
    assert explained_by(PAIR, make(TREE, "deny b/one", "deny b/two"), fails)


def test_few_launches_tell() -> None:
    fails = Counted(denied_twice)
    explained_by(PAIR, make(TREE, "deny a/key", "deny b/one", "deny b/two"), fails)
    assert len(fails.asked) <= 4
    fails = Counted(denied_twice)
    explained_by(PAIR, make(TREE, "deny a/key"), fails)
    assert fails.asked == []
