# SPDX-License-Identifier: MIT
"""Cases in short, and pretended faults: predicates on a case that know it by what its rules lead to."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from boxproof.model.access import Meaning
from boxproof.model.case import Case
from boxproof.model.policy import Policy, Reads, format_rule, parse_rule
from boxproof.model.probe import parse_probe
from boxproof.model.resolve import Tree
from boxproof.model.tree import format_tree, parse_tree


def make(tree: str, *rules: str, cwd: str = "ws", reads: Reads = "everything", probes: tuple[str, ...] = ()) -> Case:
    asked = Policy(cwd, tuple(map(parse_rule, rules)), reads)
    return Case("given", "MASK-2", "a given case", parse_tree(tree), asked, tuple(map(parse_probe, probes)))


def tree_of(case: Case) -> list[str]:
    return [" ".join(line.split()) for line in format_tree(case.topology).splitlines()]


def rules_of(case: Case) -> list[str]:
    return [format_rule(rule) for rule in case.policy.rules]


def meaning(case: Case) -> Meaning:
    return Meaning(Tree(case.topology), case.policy)


def denied_twice(case: Case) -> bool:
    """Fail where one object is denied by two different spellings."""
    denied = {(named.real, named.spelling) for named in meaning(case).named if named.rule.access == "deny"}
    return len({real for real, _ in denied if real}) < len([real for real, _ in denied if real])


def through(text: str, access: str = "deny") -> Callable[[Case], bool]:
    """Fail where a rule crosses a link whose text begins with `text`."""

    def fails(case: Case) -> bool:
        nodes = meaning(case).tree.topology.by_path
        crossed = [
            link.removeprefix("/farm/of/case/")
            for named in meaning(case).named
            if named.rule.access == access and named.real
            for link in named.found.links
        ]
        return any(getattr(nodes[link], "text", "").startswith(text) for link in crossed)

    return fails


@define
class Counted:
    """A predicate that remembers what it was asked."""

    fails: Callable[[Case], bool]
    asked: list[Case] = field(factory=list)

    def __call__(self, case: Case) -> bool:
        self.asked.append(case)
        return self.fails(case)
