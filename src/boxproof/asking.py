# SPDX-License-Identifier: MIT
"""What a launch is told about a case: the probe's questions, where it starts, what the policy's spellings lead to.

The model answers, not a look at the disk: with mounts the farm looks different from here than from the launch.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from boxproof.helpers.base import Kind, Lead
from boxproof.helpers.leads import leads_of
from boxproof.model.access import meaning_of
from boxproof.model.case import Case
from boxproof.model.policy import spelled_at
from boxproof.model.probe import Probe
from boxproof.model.resolve import Tree, resolve


def canary(path: str, case: Case, farm: str) -> Probe:
    """Return a write that only a policy allows which makes everything writable; else it shows that nothing confined."""
    allowed = meaning_of(Tree(case.topology, farm), case.policy).plain.of(path) == "rw"
    return Probe("write", path, expected=frozenset({"any" if allowed else "denied"}))


def questions(case: Case, farm: str) -> list[tuple[str, ...]]:
    """Return each probe as the words that the probe program takes, paths placed in the farm."""
    tree = Tree(case.topology, farm)
    return [tuple(_words(probe, tree)) for probe in case.probes]


def start_folder(case: Case, farm: str) -> str:
    """Return the case's working folder where there is one, else the farm: a policy may well name none that exists."""
    cwd = spelled_at(case.policy.cwd, farm)
    return cwd if resolve(Tree(case.topology, farm), cwd).node == "folder" else farm


def leads(case: Case, farm: str) -> Mapping[str, Lead]:
    """Return what each spelling of the policy leads to, for adapters whose policy format has to be told."""
    policy, tree = case.policy.at(farm), Tree(case.topology, farm)
    known = {spelling: _lead(spelling, tree) for spelling in (policy.cwd, *(rule.spelling for rule in policy.rules))}
    outside = leads_of(policy) if None in known.values() else {}
    return {spelling: lead or outside[spelling] for spelling, lead in known.items()}


def _words(probe: Probe, tree: Tree) -> list[str]:
    path = probe.path if probe.path.startswith("./") else spelled_at(probe.path, tree.farm)
    if probe.operation == "symlink":
        return [probe.operation, path, tree.expand(probe.other, posixpath.dirname(path))]
    return [probe.operation, path, *([spelled_at(probe.other, tree.farm)] if probe.other else [])]


def _lead(spelling: str, tree: Tree) -> Lead | None:
    found = resolve(tree, spelling)
    if found.error == "outside":
        return None
    parent = resolve(tree, posixpath.dirname(spelling) or "/").real
    kind: Kind = "folder" if found.node == "folder" else "file"
    return Lead("missing", "", parent) if found.error else Lead(kind, found.real, parent)
