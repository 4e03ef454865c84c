# SPDX-License-Identifier: MIT
"""Each class of the contract is reached within 500 examples of the intent that is meant for it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from boxproof.model.policy import parse_rule
from boxproof.model.suite import GeneratedSource
from boxproof.model.tree import parse_tree
from boxproof.surface.classes import SHAPES, classes
from fixtures.build import policy
from fixtures.strategies.noise import NOISES
from tests.strategies.gather import cases, named, sources

LINKS = SHAPES[1:]
WANTED = {
    "BIND-1[generated-single]": [f"{link} / {access} / " for link, access in product(LINKS, ("ro", "rw"))],
    "BIND-3[generated-pair]": [f"{link} / {access} / same" for link, access in product(LINKS, ("ro", "rw"))],
    "BIND-4[generated-conflict]": [
        f"{link} / {access} / same" for link, access in product(LINKS, ("ro", "rw", "deny"))
    ],
    "MASK-1[generated-under]": [f"{link} / deny / in {outer}" for link, outer in product(LINKS, ("ro", "rw"))],
    "MASK-2[generated-pair]": [f"{link} / deny / same" for link in SHAPES],
    "MASK-4[generated-missing]": [
        "no link / deny / in rw / nowhere",
        "no link / deny / alone / nowhere",
        "linked parent / deny / in rw / nowhere",
    ],
    "MASK-5[generated-link-in-writable]": [f"{link} / {access} / " for link, access in product(LINKS, ("ro", "deny"))],
    "BIND-8[generated-submount]": [f"{link} / {access} / " for link, access in product(SHAPES, ("ro", "deny"))],
    "ESC-2[generated-made-link]": [f"{link} / {access} / " for link, access in product(SHAPES, ("ro", "deny"))],
    "ESC-3[generated-ro-in-writable]": [f"{link} / ro / in rw / plain" for link in SHAPES],
    "MASK-9[generated-mounted-twice]": [f"no link / {access} / " for access in ("ro", "deny")],
    "MASK-6[generated-under]": [f"{link} / deny / " for link in SHAPES],
    "NEST-1[generated-nest3]": [
        *(f"no link / {pair} / plain" for pair in ("ro / in rw", "rw / in ro", "deny / in rw", "deny / in ro")),
        *(f"linked parent / {pair} / plain" for pair in ("ro / in rw", "rw / in ro", "deny / in rw", "deny / in ro")),
    ],
    "START-2[generated-nowhere]": [f"{link} / ro / alone / nowhere" for link in SHAPES],
    "START-3[generated-nowhere]": [f"{link} / rw / alone / nowhere" for link in SHAPES],
    "BIND-7[generated-noise]": [
        f" / {access} / alone / {noise}" for access, noise in product(("ro", "deny"), ("slash", "dot", "up"))
    ],
    "NAME-1[generated-names]": [f" / {access} / alone / odd" for access in ("ro", "rw", "deny")],
}
"""What an intent is for, as pieces of the classes that it must reach."""


@cache
def reached(source: GeneratedSource) -> frozenset[str]:
    return frozenset(name for case in cases(source) for name in classes(case.topology, case.policy))


@pytest.mark.parametrize("name", WANTED)
def test_an_intent_reaches_its_classes(name: str) -> None:
    source = next(each for each in sources() if named(each) == name)
    assert [wanted for wanted in WANTED[name] if not any(wanted in found for found in reached(source))] == []


def test_every_noise_is_drawn() -> None:
    source = next(each for each in sources() if each.intent == "noise")
    spellings = {rule.spelling for case in cases(source) for rule in case.policy.rules}
    wanted = ("//", "/./", "/../", "none/..", "/../../..")
    assert [piece for piece in wanted if not any(piece in spelling for spelling in spellings)] == []
    assert len(NOISES) == len(set(NOISES))


@pytest.mark.parametrize(
    ("intent", "wanted"),
    (
        ("link-in-writable", {"symlink", "remove", "rename", "mkdir"}),
        ("made-link", {"symlink", "read", "write", "create", "truncate"}),
        ("ro-in-writable", {"rename", "symlink", "remove", "truncate"}),
    ),
)
def test_every_step_is_drawn(intent: str, wanted: set[str]) -> None:
    source = next(each for each in sources() if each.intent == intent)
    assert wanted <= {probe.operation for case in cases(source) for probe in case.probes}


def test_mounts_of_both_kinds_are_drawn() -> None:
    kinds = {mount.kind for source in sources() for case in cases(source) for mount in case.topology.mounts}
    assert kinds == {"tmpfs", "bind"}


@pytest.mark.parametrize(
    ("rule", "expected"),
    (
        ("ro store/key", "no link / ro / in deny / plain"),
        ("ro absolute", "absolute / ro / alone / plain"),
        ("ro relative", "relative / ro / alone / plain"),
        ("ro surplus", "surplus / ro / alone / plain"),
        ("ro chain", "chain / ro / alone / plain"),
        ("ro mixed", "mixed chain / ro / alone / plain"),
        ("ro home/x", "linked parent / ro / alone / plain"),
        ("ro gone", "relative / ro / alone / nowhere"),
        ("ro file/", "no link / ro / alone / slash"),
        ("ro ./file", "no link / ro / alone / dot"),
        ("ro store/../file", "no link / ro / alone / up"),
        (r"ro odd\x20name", "no link / ro / alone / odd"),
        ("ro ws/sub", "no link / ro / in rw / plain"),
    ),
)
def test_a_rule_has_its_class(rule: str, expected: str) -> None:
    tree = parse_tree(r"""
        ws/
        ws/sub/
        store/
        store/key file
        file file
        odd\x20name file
        real/
        real/x file
        home -> real
        absolute -> {farm}/file
        relative -> file
        surplus -> {up}{farm}/file
        chain -> relative
        mixed -> absolute
        gone -> none
        """)
    asked = policy("rw ws", "deny store", rule)
    found = dict(zip(asked.rules, classes(tree, asked), strict=True))
    assert found[parse_rule(rule)] == expected


def test_two_rules_on_one_object_are_of_the_class_same() -> None:
    tree = parse_tree("ws/\nfile file\nlink -> file")
    assert list(_nestings(classes(tree, policy("ro file", "ro link")))) == ["same", "same"]


def _nestings(names: Iterator[str]) -> Iterator[str]:
    return (name.split(" / ")[2] for name in names)
