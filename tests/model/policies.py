# SPDX-License-Identifier: MIT
"""Hypothesis strategies for small farms of links, and policies on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen
from hypothesis import strategies as st

from boxproof.model.case import Case, Level
from boxproof.model.derive import derive
from boxproof.model.policy import ACCESSES, Policy, Rule
from boxproof.model.topology import Topology
from boxproof.model.tree import parse_tree
from tests.model.asked import FARM

_SKELETON: Final = (
    "a/",
    "a/x file",
    "a/s/",
    "a/s/y file",
    "b/",
    "b/z file",
    "b/w = b/z",
    "c/",
    "c/k socket",
    "c/p fifo",
)
_LINKS: Final = ("a/l", "a/s/m", "b/n", "c/o", "c/q")
_TEXTS: Final = (
    *("{farm}/b", "{farm}/a/x", "../b/z", "../b", "../a/s", "x", "none", "../c/none", ".", "..", "{up}{farm}/b/z"),
    *("{farm}/a/l", "{farm}/b/n/z", "../c/o", "o", "q/z", "{farm}/none/at/all", "/", "{farm}/..", "../a/x/"),
)
_NAMES: Final = ("a", "a/x", "a/s", "a/s/y", "b", "b/z", "b/w", "c", "c/k", "c/p", *_LINKS, "a/l/z", "c/o/x", "b/n/y")
_ODD: Final = ("a/none", "c/none/id", "a/x/id", "b/n/../z", "{farm}//b/./z", "a/x/", "c/o/..", "./b", "a/../b/z", "/")


@frozen
class Drawn:
    """A farm and a policy."""

    topology: Topology
    policy: Policy

    def case(self, level: Level = "MUST", rules: Sequence[Rule] | None = None) -> Case:
        """Return a case with the derived probes, with other rules where they are given."""
        probes = derive(self.topology, self.policy, FARM)
        asked = Policy(self.policy.cwd, self.policy.rules if rules is None else tuple(rules), self.policy.reads)
        return Case("a", "START-1", "a title", self.topology, asked, probes, level)


def rules() -> st.SearchStrategy[Rule]:
    """Draw a rule on something of the farm, or on nothing."""
    return st.builds(Rule, st.sampled_from(ACCESSES), st.sampled_from((*_NAMES, *_NAMES, *_ODD)))


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    """Draw a farm with a few links, now and then a second mount, and up to five rules."""
    links = draw(st.lists(st.sampled_from(_LINKS), unique=True))
    lines = [*_SKELETON, *(f"{link} -> {draw(st.sampled_from(_TEXTS))}" for link in sorted(links))]
    lines += draw(st.sampled_from(((), (), ("t/ bind a",), ("d/ tmpfs", "d/v file"))))
    asked = draw(st.lists(rules(), max_size=5))
    cwd = draw(st.sampled_from(("a", "b", "c/o")))
    return Drawn(
        parse_tree("\n".join(lines)), Policy(cwd, tuple(asked), draw(st.sampled_from(("everything", "listed"))))
    )
