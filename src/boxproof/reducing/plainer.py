# SPDX-License-Identifier: MIT
"""Steps that leave a case as long as it is and make its lines plainer: kinds, link texts, spellings, order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve

from boxproof.model.case import Case
from boxproof.model.moved import within
from boxproof.model.names import FARM
from boxproof.model.policy import spelled_at
from boxproof.model.resolve import Tree, resolve, spellings
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, parent
from boxproof.reducing.search import Search, touched, with_entries, with_rule
from boxproof.reducing.weight import relative, weight

_ALIASES: Final = 6
"""Spellings of one object that are tried, the shortest."""
_MISSING: Final = "missing"


def kinds(case: Case) -> Search:
    """Make entries plainer: a hard link a file, a mount a folder, a folder that only denies or ro rules name a file."""
    for path in [entry.path for entry in case.topology]:
        for plain in _plainer(case, path):
            entries = [entry for entry in case.topology if not entry.path.startswith(f"{path}/")]
            kept = entries if isinstance(plain, File) else list(case.topology)
            candidate = with_entries(case, [plain if entry.path == path else entry for entry in kept])
            if (yield candidate) and candidate is not None:
                case = candidate
                break
    return case


def texts(case: Case) -> Search:
    """Make each link lead straight to its end: by plain relative text, else by plain absolute text."""
    for path in [entry.path for entry in case.topology if isinstance(entry, Link)]:
        for text in _texts(case, path):
            entries = [Link(path, text) if entry.path == path else entry for entry in case.topology]
            candidate = with_entries(case, entries)
            if (yield candidate) and candidate is not None:
                case = candidate
                break
    return case


def spelled(case: Case) -> Search:
    """Spell rules and working folder by the real path, else by the shortest way through links."""
    for number in range(len(case.policy.rules)):
        tree, now = Tree(case.topology), case.policy.rules[number].spelling
        for spelling in _spellings(tree, now):
            candidate = with_rule(case, number, spelling)
            if (yield candidate):
                case = candidate
                break
    for spelling in _spellings(Tree(case.topology), case.policy.cwd):
        candidate = evolve(case, policy=evolve(case.policy, cwd=spelling))
        if (yield candidate):
            return candidate
    return case


def order(case: Case) -> Search:
    """Put rules of different access in the usual order, so that another order means that it matters."""
    for last in range(len(case.policy.rules), 1, -1):
        for number in range(1, last):
            rules = list(case.policy.rules)
            rules[number - 1 : number + 1] = reversed(rules[number - 1 : number + 1])
            candidate = evolve(case, policy=evolve(case.policy, rules=tuple(rules)))
            lighter = weight(candidate) < weight(case)
            if lighter and (yield candidate):
                case = candidate
    return case


def _plainer(case: Case, path: str) -> Iterator[Entry]:
    match case.topology.by_path.get(path):
        case HardLink() | Socket() | Fifo() | Mount(kind="nsfs"):
            yield File(path)
        case Mount():
            yield Dir(path)
        case File(mode=mode) if mode != File(path).mode:
            yield File(path)
        case Dir(mode=mode):
            if not _is_entered(case, path):
                yield File(path)
            if mode != Dir(path).mode:
                yield Dir(path)


def _is_entered(case: Case, path: str) -> bool:
    """Tell whether something needs a folder to be one: a writable rule, the working folder, or a way through it."""
    tree = Tree(case.topology)
    real = f"{tree.farm}/{path}"
    rules = [(rule, resolve(tree, spelled_at(rule.spelling, tree.farm))) for rule in case.policy.rules]
    links = [resolve(tree, link) for link, node in tree.nodes.items() if node.kind == "link"]
    return (
        path in touched(tree, case.policy.cwd)
        or any(found.real == real and rule.access == "rw" for rule, found in rules)
        or any(real in found.searched for found in (*links, *(found for _, found in rules)))
    )


def _texts(case: Case, path: str) -> Iterator[str]:
    tree = Tree(case.topology)
    found = resolve(tree, f"{tree.farm}/{path}")
    target = within(tree, found.real or found.creatable)
    if target is not None and target != path:
        yield relative(target, parent(path))
        yield f"{FARM}/{target}"


def _spellings(tree: Tree, now: str) -> Iterator[str]:
    found = resolve(tree, spelled_at(now, tree.farm))
    if found.error == "ENOENT" and not found.links and now != _MISSING:
        yield _MISSING
    real = within(tree, found.real)
    if real is None or now == (real or FARM):
        return
    yield real or FARM
    others = (within(tree, each) for each in spellings(tree, found.real, _ALIASES)[1:])
    yield from (each for each in others if each)
