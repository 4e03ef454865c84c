# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from boxproof.errors import CaseError
from boxproof.model.case import LEVELS, SPOILT, Case
from boxproof.model.policy import Policy, parse_rule
from boxproof.model.probe import Probe
from boxproof.model.tree import parse_tree

TREE = parse_tree("ws/\n")
CASE = Case("a-slug", "MASK-2", "a title", TREE, Policy("ws", tuple(map(parse_rule, ("ro a", "rw b", "deny a")))))


def test_a_case_asks_for_nothing_more_by_default() -> None:
    assert (CASE.probes, CASE.then, CASE.launch, CASE.sources) == ((), (), frozenset(), ())
    assert (CASE.level, CASE.spoilt, CASE.reorder, CASE.deadline) == ("MUST", "", False, 0.0)


def test_a_case_is_named_by_its_requirement_and_its_id() -> None:
    assert CASE.name == "MASK-2[a-slug]"


@pytest.mark.parametrize("slug", ("a", "a1", "1-a", "deny-slash-after-file", "0"))
def test_a_slug(slug: str) -> None:
    assert evolve(CASE, id=slug).id == slug


@pytest.mark.parametrize("slug", ("", "A", "a b", "a_b", "-a", "a-", "a--b", "a/b", "..", "a\n", "é", "a[b]"))
def test_what_is_no_slug(slug: str) -> None:
    with pytest.raises(CaseError, match="is no slug; use lower-case letters, digits and single dashes"):
        evolve(CASE, id=slug)


@pytest.mark.parametrize("requirement", ("", "MASK", "MASK-", "mask-2", "MASK-2a", "MASK-2\n", "MASK 2", "-2"))
def test_what_is_no_requirement(requirement: str) -> None:
    with pytest.raises(CaseError, match="is no requirement id; write one such as 'MASK-2'"):
        evolve(CASE, requirement=requirement)


@pytest.mark.parametrize("wrong", ({"level": "MAY"}, {"spoilt": "torn"}))
def test_what_is_no_word_of_a_case(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be in"):
        evolve(CASE, **wrong)


def test_the_words_of_a_case() -> None:
    assert [evolve(CASE, level=level).level for level in LEVELS] == ["MUST", "SHOULD", "RECORD"]
    assert [evolve(CASE, spoilt=spoilt).spoilt for spoilt in SPOILT] == list(SPOILT)


def test_a_case_in_reverse_has_its_rules_in_reverse_and_is_not_reversed_again() -> None:
    case = evolve(CASE, reorder=True, probes=(Probe("read", "a"), Probe("read", "b")))
    back = case.reversed()
    assert back.policy.rules == case.policy.rules[::-1]
    assert not back.reorder
    assert evolve(back, policy=case.policy, reorder=True) == case
