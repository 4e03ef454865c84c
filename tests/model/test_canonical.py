# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from attrs import evolve

from boxproof.model.canonical import canonical, fingerprint
from boxproof.model.case import Case
from boxproof.model.moved import moved
from boxproof.model.policy import Policy, format_rule, parse_rule
from boxproof.model.tree import format_tree, parse_tree


def make(tree: str, *rules: str, cwd: str = "ws") -> Case:
    return Case("given", "MASK-2", "a title", parse_tree(tree), Policy(cwd, tuple(map(parse_rule, rules))))


PAIR = make("ws/\nkey file\nalias -> key", "deny key", "deny alias")


def test_names_are_numbered_in_order_of_use() -> None:
    form = canonical(make("ws/\nstore/\nstore/key file\nalias -> store/key", "rw ws", "deny alias"))
    assert [" ".join(line.split()) for line in format_tree(form.topology).splitlines()] == [
        "n0/",
        "n2/",
        "n2/n3 file",
        "n1 -> n2/n3",
    ]
    assert [format_rule(rule) for rule in form.policy.rules] == ["rw n0", "deny n1"]


@pytest.mark.parametrize(
    "other",
    (
        make("work/\nsecret file\nlink -> secret", "deny secret", "deny link", cwd="work"),
        make("key file\nalias -> key\nws/", "deny key", "deny alias"),
        make("ws/\nkey file\nalias -> key", "deny alias", "deny key"),
        evolve(PAIR, id="another", title="another", sources=("a/b#1",), level="SHOULD"),
    ),
    ids=["names", "order-of-entries", "order-of-rules", "words"],
)
def test_one_bug_has_one_fingerprint(other: Case) -> None:
    assert fingerprint(other) == fingerprint(PAIR)
    assert canonical(other) == canonical(PAIR)


@pytest.mark.parametrize(
    "other",
    (
        evolve(PAIR, requirement="MASK-1"),
        make("ws/\nkey file\nalias -> {farm}/key", "deny key", "deny alias"),
        make("ws/\nkey file\nalias -> ./key", "deny key", "deny alias"),
        make("ws/\nkey/\nalias -> key", "deny key", "deny alias"),
        make("ws/\nkey file\nalias -> key", "deny key", "ro alias"),
        make("ws/\nkey file\nalias -> key", "deny key", "deny key"),
        make("ws/\nkey file\nalias -> key", "deny .//key", "deny alias"),
        make("ws/\nkey file\nalias -> key", "deny ws/../key", "deny alias"),
        make("ws/\nk\\x20y file\nalias -> k\\x20y", "deny k\\x20y", "deny alias"),
        make("ws/\nkey file\nalias -> key", "rw ws", "deny key", "deny alias"),
    ),
    ids=["requirement", "absolute", "dot", "kind", "access", "spelling", "noise", "dotdot", "odd-name", "rule"],
)
def test_another_shape_has_another_fingerprint(other: Case) -> None:
    assert fingerprint(other) != fingerprint(PAIR)


def test_the_order_of_different_access_is_part_of_the_shape() -> None:
    one = make("ws/\nkey file", "rw ws", "deny key")
    assert fingerprint(one) != fingerprint(make("ws/\nkey file", "deny key", "rw ws"))


def test_missing_names_are_names_too() -> None:
    one, other = make("ws/", "ro gone"), make("ws/", "ro missing")
    assert fingerprint(one) == fingerprint(other)
    assert fingerprint(one) != fingerprint(make("ws/", "ro gone/deeper"))


@pytest.mark.parametrize("name", ("a b", "-a", "é", "\udcfe", "x" * 255, "$HOME", "a\nb"))
def test_what_is_odd_in_a_name_stays(name: str) -> None:
    odd = moved(make("ws/\nkey file", "deny key"), {"key": name})
    assert fingerprint(odd) != fingerprint(make("ws/\nkey file", "deny key"))
    assert fingerprint(odd) == fingerprint(moved(odd, {name: f"{name[:2]}{name[2:] or 'a'}"[:255]}))


@pytest.mark.parametrize(
    "case",
    (
        PAIR,
        make("ws/\na/\na/b/\na/b/c file\nl -> {farm}/a/b\nm -> l/../b", "rw ws", "deny l/c", "deny m", "ro a/b"),
        make("ws/\nfile file\nhard = file\nsock socket\npipe fifo\ntwin/ bind ws", "rw ws", "deny hard"),
        make("loop -> loop\nout -> ../../etc\nup -> {up}etc", "ro loop", "ro out/passwd", "ro /etc/passwd", cwd="/"),
    ),
)
def test_the_form_is_its_own_form(case: Case) -> None:
    assert canonical(canonical(case)) == canonical(case)


def test_many_rules_take_no_time() -> None:
    names = [f"k{number}" for number in range(200)]
    case = make("\n".join(f"{name} file" for name in names), *(f"deny {name}" for name in names))
    assert len(fingerprint(case)) == 16
