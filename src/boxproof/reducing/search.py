# SPDX-License-Identifier: MIT
"""What the steps of a reduction share: how they propose cases, and what a case's spellings touch."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias

from attrs import evolve

from boxproof.errors import CaseError
from boxproof.model.case import Case
from boxproof.model.moved import within
from boxproof.model.policy import Rule, spelled_at
from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import Entry

Search: TypeAlias = Generator[Case | None, bool, Case]
"""Proposes cases, is told of each whether it is kept, and returns the last one kept; ``None`` is never kept."""
Step: TypeAlias = Callable[[Case], Search]


def chunks(case: Case, count: Callable[[Case], int], without: Callable[[Case, int, int], Case | None]) -> Search:
    """Drop parts of a case, the largest first, each half as large as the one before.

    Args:
        case: what is reduced.
        count: how many parts it has.
        without: the case without the parts from one number up to another, or ``None``.
    """
    size = max(1, count(case) // 4)
    while size:
        end = count(case)
        while end > 0:
            smaller = without(case, max(0, end - size), end)
            if (yield smaller) and smaller is not None:
                case = smaller
            end = min(end - size, count(case))
        size //= 2
    return case


def with_entries(case: Case, entries: Sequence[Entry]) -> Case | None:
    """Return the case with another tree, or ``None`` where that is none."""
    try:
        return evolve(case, topology=evolve(case.topology, entries=tuple(entries)))
    except CaseError:
        return None


def with_rule(case: Case, number: int, spelling: str) -> Case:
    """Return the case with one rule spelled otherwise."""
    rules = list(case.policy.rules)
    rules[number] = Rule(rules[number].access, spelling)
    return evolve(case, policy=evolve(case.policy, rules=tuple(rules)))


def touched(tree: Tree, spelling: str) -> frozenset[str]:
    """Return the paths in the farm that a spelling needs: folders searched, links crossed, what it leads to."""
    found = resolve(tree, spelled_at(spelling, tree.farm))
    inside = (within(tree, path) for path in (*found.searched, *found.links, found.real))
    return frozenset(path for path in inside if path)
