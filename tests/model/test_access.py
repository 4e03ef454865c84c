# SPDX-License-Identifier: MIT
"""What a policy grants, under each admissible reading."""

from __future__ import annotations

from typing import Unpack

import pytest

from boxproof.model.access import READINGS, AccessMap, Reading, ancestry, is_below
from boxproof.model.case import Level
from boxproof.model.resolve import Tree
from boxproof.model.topology import Topology
from tests.model.asked import FARM, Details, inside, meant

NESTED = (
    ("rw ws; ro ws/sub", {"ws": "rw", "ws/file": "rw", "ws/sub": "ro", "ws/sub/one": "ro", "store": "ro"}),
    ("ro ws; rw ws/sub", {"ws": "ro", "ws/file": "ro", "ws/sub/one": "rw"}),
    ("rw ws; deny ws/sub", {"ws/file": "rw", "ws/sub": "deny", "ws/sub/one": "deny"}),
    ("ro store; deny store/keys", {"store/key": "ro", "store/keys/one": "deny"}),
    ("rw .; ro store; rw store/keys; deny store/keys/one", {"ws": "rw", "store": "ro", "store/keys": "rw"}),
    ("rw .; ro store; rw store/keys; deny store/keys/one", {"store/keys/one": "deny", "store/key": "ro"}),
    ("deny store; ro store/keys", {"store/key": "deny", "store/keys/one": "ro"}),
    ("rw home/rel; ro store/keys/one", {"store/keys": "rw", "store/keys/one": "ro"}),
)
CONFLICTS = (
    ("rw store/key; deny home/abs", "deny"),
    ("deny store/key; rw home/abs", "deny"),
    ("ro store/key; deny home/abs", "deny"),
    ("rw store/key; ro home/abs", "ro"),
    ("rw store/key; rw home/abs; ro {farm}/store/key; deny store/../store/key", "deny"),
)


def read(rules: str, *readings: Reading, **details: Unpack[Details]) -> AccessMap:
    return meant(rules, **details).read(readings)


def reversed_(rules: str) -> str:
    return "; ".join(reversed(rules.split("; ")))


def admitted(rules: str, strength: Level = "MUST", **details: Unpack[Details]) -> set[Reading]:
    """Return the readings that differ from the plain one by themselves."""
    details["level"] = strength
    meaning = meant(rules, **details)
    return {reading for readings in meaning.maps for reading in readings}


@pytest.mark.parametrize(("rules", "access"), NESTED)
def test_the_nearest_rule_decides(rules: str, access: dict[str, str]) -> None:
    for each in (rules, reversed_(rules)):
        known = read(each)
        assert {path: known.of(inside(path)) for path in access} == access


@pytest.mark.parametrize(("rules", "access"), CONFLICTS)
def test_on_one_object_deny_comes_before_ro_before_rw(rules: str, access: str) -> None:
    for each in (rules, reversed_(rules)):
        assert read(each).of(inside("store/key")) == access
        assert meant(each).conflicts() == {inside("store/key")}


def test_without_a_rule_the_default_holds() -> None:
    assert read("rw ws").of(inside("home/file")) == "ro"
    assert read("rw ws", reads="listed").of(inside("home/file")) == "hidden"
    assert read("rw ws", reads="listed").of(inside("ws/none/at/all")) == "rw"
    assert read("").of("/") == "ro"
    assert read("deny /").of(inside("ws/file")) == "deny"


def test_the_rule_that_covers_is_named() -> None:
    known = read("rw ws; ro ws/sub")
    assert known.covering(inside("ws/sub/one")) == inside("ws/sub")
    assert known.covering(inside("ws/file")) == inside("ws")
    assert known.covering(inside("home")) == ""


@pytest.mark.parametrize(
    ("rule", "real"),
    (
        ("ro home/abs", "store/key"),
        ("rw home/rel/one", "store/keys/one"),
        ("deny home/gone", "store/none"),
        ("ro home/gone", ""),
        ("rw home/gone", ""),
        ("deny store/none", "store/none"),
        ("deny store/none/at/all", ""),
        ("deny home/loop", ""),
        ("deny home/file/id", ""),
        ("ro home/locked/id", "home/locked/id"),
        ("deny home/locked/id", "home/locked/id"),
        ("deny home/locked/none", ""),
    ),
)
def test_a_rule_names_what_its_spelling_leads_to(rule: str, real: str) -> None:
    (named,) = meant(rule).named
    assert named.real == (real and inside(real))
    assert named.spelling == f"{FARM}/{rule.partition(' ')[2]}"


@pytest.mark.parametrize(
    ("rules", "path", "reading", "access"),
    (
        ("rw ws; deny home/deep/../key", "home/key", "lexical deny", "deny"),
        ("rw ws; ro ws/file; rw home/to-ws", "ws/file", "rw wins", "rw"),
        ("rw ws; rw home/to-ws; ro ws/file", "ws/file", "rw wins", "rw"),
        ("rw ws; ro ws/file/", "ws/file", "trailing slash", "ro"),
        ("rw ws; deny ws/file/.", "ws/file", "trailing slash", "deny"),
        ("deny store; ro store/keys", "store/keys/one", "deny over allow", "deny"),
        ("deny store; ro store/keys; rw store/keys/one", "store/keys/one", "deny over allow", "deny"),
        ("rw ws; ro ws/none", "ws/none", "missing ro", "ro"),
        ("rw ws; ro ws/gone", "ws/none", "missing ro", "ro"),
    ),
)
def test_a_reading_changes_one_thing(rules: str, path: str, reading: Reading, access: str) -> None:
    meaning = meant(rules)
    assert meaning.read((reading,)).of(inside(path)) == access
    assert reading in admitted(rules)
    assert set(admitted(rules)) <= set(READINGS)


def test_no_reading_lets_rw_win_over_a_deny() -> None:
    for rules in (
        "deny ws/file; rw home/to-ws",
        "rw home/to-ws; deny ws/file",
        "ro ws/file; rw ws/file; deny home/to-ws",
    ):
        assert meant(rules).read(("rw wins",)).of(inside("ws/file")) == "deny"


@pytest.mark.parametrize(
    ("rules", "path", "access"),
    (
        ("rw ws; deny home/deep/../key", "home/key", "ro"),
        ("rw ws; rw home/to-ws; ro ws/file", "ws/file", "ro"),
        ("rw ws; deny ws/file/", "ws/file", "rw"),
        ("deny store; ro store/keys", "store/keys/one", "ro"),
        ("rw ws; ro ws/none", "ws/none", "rw"),
    ),
)
def test_the_plain_reading_is_the_preferred_one(rules: str, path: str, access: str) -> None:
    assert meant(rules).plain.of(inside(path)) == access
    assert meant(rules).maps[()] == meant(rules).plain


def test_a_reading_that_changes_nothing_is_not_tried() -> None:
    assert admitted("rw ws; ro store; deny home/abs") == set()
    assert list(meant("rw ws; ro store").maps) == [()]


def test_a_should_admits_no_lenient_reading() -> None:
    conflict = "rw ws; ro ws/file; rw home/to-ws"
    assert admitted(conflict) == admitted(conflict, "RECORD") == {"rw wins"}
    assert admitted(conflict, "SHOULD") == set()
    twice = {"tree": "twin/ bind store"}
    assert admitted("deny store", tree=twice["tree"]) == {"mount apart"}
    assert admitted("deny store", "SHOULD", tree=twice["tree"]) == set()
    assert admitted("rw ws; ro ws/none", "SHOULD") == {"missing ro"}


def test_readings_are_tried_together() -> None:
    rules = "rw ws; ro ws/none; ro ws/file; rw home/to-ws"
    assert set(meant(rules).maps) == {(), ("rw wins",), ("missing ro",), ("rw wins", "missing ro")}


def test_a_reading_that_matters_beside_another_is_tried() -> None:
    tree = "home/x/\nhome/x/id file\nstore/x/"
    rules = "deny home/deep/../x; rw home/x/id"
    maps = meant(rules, tree=tree).maps.values()
    assert {known.of(inside("home/x/id")) for known in maps} == {"rw", "deny"}


@pytest.mark.parametrize("rules", ("ro ws/file/", "deny ws/key./", "deny ws/key./.", "deny ws/key.//"))
def test_a_slash_takes_nothing_from_the_name(rules: str) -> None:
    meaning = meant(rules, tree="ws/key. file\nws/key file")
    (named,) = meaning.named
    assert meaning.unslashed(named) == inside("ws/file" if "file" in rules else "ws/key.")


@pytest.mark.parametrize("rules", ("deny store/keys/", "deny ws/file", "deny store/none/", "deny home/file/id"))
def test_a_slash_after_a_folder_or_nothing_means_no_file(rules: str) -> None:
    meaning = meant(rules)
    assert meaning.unslashed(meaning.named[0]) == ""


def test_a_lexical_name_is_another_existing_object() -> None:
    for rule, real in (
        ("deny home/deep/../key", "home/key"),
        ("deny home/deep/../none", ""),
        ("deny home/../store/key", ""),
        ("deny home/rel/one", ""),
    ):
        meaning = meant(rule)
        assert meaning.lexical(meaning.named[0]) == (real and inside(real))


@pytest.mark.parametrize(
    ("rules", "rewritable"),
    (
        ("rw ws; ro ws/way", True),
        ("rw ws; deny ws/way/one", True),
        ("rw ws; ro home/rel", False),
        ("ro ws; rw ws/way", False),
        ("rw home; ro ws/way", False),
        ("rw .; ro home/rel", True),
        ("rw ws; ro ws/file", False),
        ("rw ws; ro ws/sub; ro ws/sub/way", True),
    ),
)
def test_a_link_that_the_command_could_repoint(rules: str, *, rewritable: bool) -> None:
    meaning = meant(rules, tree="ws/sub/way -> {farm}/store")
    assert meaning.rewritable(meaning.named[-1]) is rewritable


@pytest.mark.parametrize(
    ("rules", "first", "second"),
    (
        ("deny store/key", "deny", "deny"),
        ("deny twin/key", "deny", "deny"),
        ("deny twin", "deny", "deny"),
        ("rw store", "rw", "rw"),
        ("rw twin", "rw", "rw"),
        ("rw store; ro twin", "ro", "ro"),
        ("rw twin; deny store", "deny", "deny"),
        ("ro home", "ro", "ro"),
    ),
)
def test_a_second_mount_is_a_spelling(rules: str, first: str, second: str) -> None:
    known = read(rules, tree="twin/ bind store")
    assert (known.of(inside("store/key")), known.of(inside("twin/key"))) == (first, second)


def test_a_second_mount_may_be_taken_apart() -> None:
    for rules in ("deny store", "deny twin"):
        known = read(rules, "mount apart", tree="twin/ bind store")
        assert {known.of(inside("store/key")), known.of(inside("twin/key"))} == {"deny", "ro"}


def test_rules_on_two_mounts_of_one_folder_are_in_conflict() -> None:
    assert meant("rw store; deny twin", tree="twin/ bind store").conflicts() != frozenset()
    assert meant("rw store; rw twin", tree="twin/ bind store").conflicts() == frozenset()


@pytest.mark.parametrize(
    "rules", ("rw store/key; rw home/abs", "ro home/gone; deny home/loop; rw home/loop", "rw ws; ro ws/sub")
)
def test_no_conflict_where_access_is_the_same_or_objects_differ(rules: str) -> None:
    assert meant(rules).conflicts() == frozenset()


def test_ancestry_ends_at_the_root() -> None:
    assert list(ancestry("/a/b")) == ["/a/b", "/a", "/"]
    assert list(ancestry("/")) == ["/"]


def test_below_is_strictly_below() -> None:
    assert is_below("/a/b", "/a")
    assert is_below("/a", "/")
    assert not is_below("/a", "/a")
    assert not is_below("/ab", "/a")
    assert not is_below("/", "/")


def test_an_access_is_worked_out_once() -> None:
    known = AccessMap(Tree(Topology(()), FARM), "ro", {})
    known.of("/x")
    assert known._known == {"/x": "ro"}
    assert known == AccessMap(Tree(Topology(()), FARM), "ro", {})
