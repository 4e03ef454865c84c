# SPDX-License-Identifier: MIT
"""A case with entries under other names or in other folders, and every spelling changed so that it means the same.

Paths are relative to the farm here, and ``""`` is the farm itself. A spelling is walked one component at a time, so
that links, ``..`` and spelling noise stay where they are.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import evolve, frozen

from boxproof.errors import CaseError
from boxproof.model.case import Case
from boxproof.model.names import FARM, UP
from boxproof.model.policy import Rule, spelled_at
from boxproof.model.probe import Probe
from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import Entry, HardLink, Link, Mount, parent

_NOTHING: Final = frozenset({"", "."})
_HERE: Final = "./"


@frozen
class Step:
    """One component of a text: from the folder `at` to the name `path` in it, and behind links to `to`.

    All are paths in the farm; `to` is ``None`` where the walk leaves the farm or ends.
    """

    name: str
    at: str
    path: str
    to: str | None


def within(tree: Tree, real: str) -> str | None:
    """Return a canonical path relative to the farm, or ``None`` for one outside."""
    if real == tree.farm:
        return ""
    return real.removeprefix(f"{tree.farm}/") if real.startswith(f"{tree.farm}/") else None


def steps(tree: Tree, text: str, folder: str) -> Iterator[Step]:
    """Iterate over the components of a text that is relative to a folder of the farm, until it leaves the farm."""
    at: str | None = folder
    for name in text.split("/"):
        if at is None:
            return
        step = _step(tree, name, at)
        yield step
        at = step.to


def split(text: str) -> tuple[str, str]:
    """Return what of a text leads to the farm, and the rest, which is relative to it; both empty for other places."""
    before, farm, rest = text.rpartition(FARM)
    return (before + farm, rest) if farm and (not rest or rest.startswith("/")) else ("", text)


@frozen
class Move:
    """New paths for some entries; what lies in a folder moves with it.

    Args:
        tree: the farm as it is.
        paths: path to new path. A folder whose new path is that of the folder around it is no longer there.
    """

    tree: Tree
    paths: Mapping[str, str]

    def of(self, path: str) -> str:
        """Return the new path of something that exists or could."""
        if not path or path in self.paths:
            return self.paths.get(path, "")
        return posixpath.join(self.of(parent(path)), path.rpartition("/")[2])

    def spelling(self, text: str, folder: str = "") -> str:
        """Return a spelling that is relative to `folder`, or begins in the farm, for the new tree.

        Raises:
            CaseError: where the new tree has no such way.
        """
        before, rest = split(text)
        if rest.startswith("/") and not before.startswith((FARM, UP, "/")):
            return text
        start = "" if before else folder
        walked = list(steps(self.tree, rest, start))
        new = [name for step in walked for name in self._names(step)]
        new += rest.split("/")[len(walked) :]
        return before + "/".join(new)

    def entry(self, entry: Entry) -> Entry | None:
        """Return an entry for the new tree, or ``None`` for one that is no longer there."""
        path = self.of(entry.path)
        if path == self.of(parent(entry.path)):
            return None
        if isinstance(entry, HardLink) or (isinstance(entry, Mount) and entry.of):
            return evolve(entry, path=path, of=self.of(entry.of))
        if isinstance(entry, Link):
            return evolve(entry, path=path, text=self.spelling(entry.text, parent(entry.path)) or ".")
        return evolve(entry, path=path)

    def _names(self, step: Step) -> Iterator[str]:
        if step.name in _NOTHING:
            yield step.name
            return
        old, new = self.of(step.at), self.of(step.path)
        if step.name == "..":
            yield from [] if new == old and step.to is not None else [".."]
        elif new != old:
            if parent(new) != old:
                raise CaseError(f"'{step.path}' is not reached through '{step.at}' any more")
            yield new.rpartition("/")[2]


def moved(case: Case, paths: Mapping[str, str]) -> Case:
    """Return the case with some entries moved; see `Move`.

    Raises:
        CaseError: where a name is taken, or a spelling cannot be carried over.
    """
    move = Move(Tree(case.topology), paths)
    entries = tuple(entry for entry in map(move.entry, case.topology) if entry is not None)
    rules = tuple(Rule(rule.access, move.spelling(rule.spelling) or FARM) for rule in case.policy.rules)
    cwd = move.spelling(case.policy.cwd) or FARM
    return evolve(
        case,
        topology=evolve(case.topology, entries=entries),
        policy=evolve(case.policy, cwd=cwd, rules=rules),
        probes=tuple(_probe(probe, move, case) for probe in case.probes),
        then=tuple(_probe(probe, move, case) for probe in case.then),
    )


def _probe(probe: Probe, move: Move, case: Case) -> Probe:
    path = _asked(probe.path, move, case)
    if not probe.other:
        return evolve(probe, path=path)
    if probe.operation != "symlink":
        return evolve(probe, path=path, other=_asked(probe.other, move, case))
    folder = resolve(move.tree, posixpath.dirname(spelled_at(probe.path, move.tree.farm))).real
    return evolve(probe, path=path, other=move.spelling(probe.other, within(move.tree, folder) or ""))


def _asked(path: str, move: Move, case: Case) -> str:
    if not path.startswith(_HERE):
        return move.spelling(path) or FARM
    cwd = within(move.tree, resolve(move.tree, spelled_at(case.policy.cwd, move.tree.farm)).real)
    return path if cwd is None else move.spelling(path, cwd)


def _step(tree: Tree, name: str, at: str) -> Step:
    if name in _NOTHING:
        return Step(name, at, at, at)
    if name == "..":
        return Step(name, at, parent(at), parent(at) if at else None)
    path = posixpath.join(at, name)
    node = tree.nodes.get(f"{tree.farm}/{path}")
    if node is None or node.kind != "link":
        return Step(name, at, path, path)
    found = resolve(tree, f"{tree.farm}/{path}")
    return Step(name, at, path, within(tree, found.real or found.creatable))
