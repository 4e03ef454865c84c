# SPDX-License-Identifier: MIT
"""Policies that must mean the same as another one: what differs between the two is wrong, whatever a model says."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Final

from attrs import evolve

from boxproof.model.access import Meaning
from boxproof.model.case import Case, Relation
from boxproof.model.policy import Policy, Rule, spelled_at
from boxproof.model.probe import Probe
from boxproof.model.resolve import Tree, resolve

_NOISY: Final = re.compile(r"//|(^|/)\.\.?(/|$)|/$")
_NOWHERE: Final = "none/none"
"""A spelling that leads nowhere: no farm that is drawn has such a name."""


WORDS: Final[Mapping[Relation, str]] = {
    "reversed": "the rules in reverse order",
    "repeated": "the first rule once more at the end",
    "respelled": "one rule spelled by its real path",
    "unresolvable-added": "a read-only rule before all others that leads nowhere",
}
"""In what the second policy differs."""


def related(case: Case) -> Case | None:
    """Return the case under the policy that its relation names, or ``None`` where there is no such policy."""
    policy = _CHANGES[case.relation](case) if case.relation else None
    return None if policy is None else evolve(case, policy=policy, relation="")


def object_of(probe: Probe, tree: Tree) -> str:
    """Return what a probe tells of, so that spellings of one object can be taken together: a canonical path.

    A new name tells of its folder: which spelling of the folder works is not the question.
    """
    walk = resolve(tree, spelled_at(probe.path, tree.farm))
    real = posixpath.dirname(walk.creatable) if probe.operation == "create" else walk.real
    return real or walk.creatable or probe.path


def _reversed(case: Case) -> Policy:
    return evolve(case.policy, rules=case.policy.rules[::-1])


def _repeated(case: Case) -> Policy | None:
    rules = case.policy.rules
    return evolve(case.policy, rules=(*rules, *rules[:1])) if rules else None


def _unresolvable_added(case: Case) -> Policy:
    return evolve(case.policy, rules=(Rule("ro", _NOWHERE), *case.policy.rules))


def _respelled(case: Case) -> Policy | None:
    """Return the policy with one rule spelled by its real path, ``None`` where none crosses a link.

    A rule that crosses a link which the command could re-point may be refused (MASK-5), and is no such rule.
    """
    policy = case.policy
    meaning = Meaning(Tree(case.topology), policy)
    for number, named in enumerate(meaning.named):
        plain = named.found.links and named.found.real and not meaning.rewritable(named)
        if plain and not _NOISY.search(named.rule.spelling):
            real = named.found.real.removeprefix(f"{meaning.tree.farm}/")
            rules = list(policy.rules)
            rules[number] = Rule(named.rule.access, real)
            return evolve(policy, rules=tuple(rules))
    return None


_CHANGES: Final[Mapping[Relation, Callable[[Case], Policy | None]]] = {
    "reversed": _reversed,
    "repeated": _repeated,
    "respelled": _respelled,
    "unresolvable-added": _unresolvable_added,
}
