# SPDX-License-Identifier: MIT
"""Steps that make a case shorter: fewer rules, entries and probes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

from attrs import evolve

from boxproof.model.case import Case
from boxproof.model.names import FARM
from boxproof.model.probe import Probe
from boxproof.model.resolve import Tree
from boxproof.model.topology import Entry, File, HardLink, Link, Mount, Topology, parent
from boxproof.reducing.search import Search, chunks, touched, with_entries

_PLAINER: Final[tuple[Callable[[Case], Case], ...]] = (
    lambda case: evolve(case, probes=()),
    lambda case: evolve(case, then=()),
    lambda case: evolve(case, launch=frozenset()),
    lambda case: evolve(case, reorder=False),
    lambda case: case.reversed() if case.reorder else case,
    lambda case: evolve(case, spoilt=""),
    lambda case: evolve(case, deadline=0.0),
    lambda case: evolve(case, policy=evolve(case.policy, reads="everything")),
    lambda case: evolve(case, policy=evolve(case.policy, network=False)),
    lambda case: evolve(case, policy=evolve(case.policy, tmp="closed")),
)
"""Changes of one thing each; of a case that is plain already, none."""


def strip(case: Case) -> Search:
    """Drop all that is said beyond farm and rules: the model then says what is tried and what may come of it."""
    bare = evolve(case, probes=(), then=(), launch=frozenset(), reorder=False)
    for candidate in (bare, evolve(case.reversed(), probes=(), then=(), launch=frozenset()) if case.reorder else bare):
        if (yield candidate):
            case = candidate
            break
    for plainer in _PLAINER:
        candidate = plainer(case)
        if (yield candidate):
            case = candidate
    return case


def unused(case: Case) -> Search:
    """Drop every entry that no rule needs, or but for what lies in the folders that rules name."""
    tree = Tree(case.topology)
    spelled = [*(rule.spelling for rule in case.policy.rules), case.policy.cwd, *_asked(case)]
    used = frozenset().union(*(touched(tree, spelling) for spelling in spelled))
    paths = [entry.path for entry in case.topology]
    for kept in (used, used | {path for path in paths if _below_any(path, used)}):
        smaller = without_entries(case, [path for path in paths if path not in kept])
        if (yield smaller) and smaller is not None:
            return smaller
    return case


def rules(case: Case) -> Search:
    """Drop rules."""
    return chunks(case, lambda one: len(one.policy.rules), _without_rules)


def entries(case: Case) -> Search:
    """Drop entries, with what hangs on them."""
    return chunks(case, lambda one: len(one.topology.entries), _without_numbered)


def probes(case: Case) -> Search:
    """Drop probes that are named, of the first run and of the second."""
    case = yield from chunks(case, lambda one: len(one.probes), _without_probes)
    return (yield from chunks(case, lambda one: len(one.then), _without_then))


def without_entries(case: Case, paths: Collection[str]) -> Case | None:
    """Return the case without some entries and all that needs them: what lies in a folder, links, rules, probes.

    A hard link outlives the name that it was made of; a working folder that goes becomes the farm itself.
    """
    tree = Tree(case.topology)
    gone = _closure(tree, set(paths))
    policy = case.policy
    smaller = with_entries(case, list(_left(case.topology, gone)))
    if smaller is None or not gone:
        return None
    return evolve(
        smaller,
        policy=evolve(
            policy,
            cwd=FARM if touched(tree, policy.cwd) & gone else policy.cwd,
            rules=tuple(rule for rule in policy.rules if not touched(tree, rule.spelling) & gone),
        ),
        probes=tuple(_still(case.probes, tree, gone)),
        then=tuple(_still(case.then, tree, gone)),
    )


def _closure(tree: Tree, gone: set[str]) -> set[str]:
    # each round may take away what the next one needs, so until nothing more goes
    size = -1
    while size < len(gone):
        size = len(gone)
        gone |= {entry.path for entry in tree.topology if _hangs(entry, tree, gone)}
    return gone


def _hangs(entry: Entry, tree: Tree, gone: set[str]) -> bool:
    if parent(entry.path) in gone:
        return True
    if isinstance(entry, Link):
        return bool(touched(tree, entry.path) & gone)
    return isinstance(entry, Mount) and entry.of in gone


def _left(topology: Topology, gone: Collection[str]) -> Iterator[Entry]:
    """Iterate over the entries that stay; of the hard links of a file that goes, the first becomes the file."""
    heirs: dict[str, str] = {}
    for entry in topology:
        if entry.path in gone:
            if isinstance(entry, HardLink) and (entry.of in heirs or entry.of not in gone):
                heirs[entry.path] = heirs.get(entry.of, entry.of)
        elif isinstance(entry, HardLink) and entry.of in gone:
            if entry.of in heirs:
                yield evolve(entry, of=heirs[entry.of])
            else:
                heirs[entry.of] = entry.path
                yield File(entry.path)
        else:
            yield entry


def _asked(case: Case) -> Iterator[str]:
    for probe in (*case.probes, *case.then):
        yield probe.path
        if probe.other and probe.operation != "symlink":
            yield probe.other


def _below_any(path: str, folders: Collection[str]) -> bool:
    above = parent(path)
    return bool(above) and (above in folders or _below_any(above, folders))


def _still(asked: tuple[Probe, ...], tree: Tree, gone: Collection[str]) -> Iterator[Probe]:
    for probe in asked:
        paths = (probe.path, probe.other) if probe.operation != "symlink" else (probe.path,)
        if not any(touched(tree, path) & set(gone) for path in paths if path):
            yield probe


def _without_rules(case: Case, start: int, end: int) -> Case:
    return evolve(case, policy=evolve(case.policy, rules=case.policy.rules[:start] + case.policy.rules[end:]))


def _without_numbered(case: Case, start: int, end: int) -> Case | None:
    return without_entries(case, [entry.path for entry in case.topology.entries[start:end]])


def _without_probes(case: Case, start: int, end: int) -> Case:
    return evolve(case, probes=case.probes[:start] + case.probes[end:])


def _without_then(case: Case, start: int, end: int) -> Case:
    return evolve(case, then=case.then[:start] + case.then[end:])
