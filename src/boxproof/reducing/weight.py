# SPDX-License-Identifier: MIT
"""How much there is to read in a case: a reduction only ever takes a lighter one, so it ends."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from itertools import combinations
from typing import Final, TypeAlias

from boxproof.model.case import Case
from boxproof.model.moved import within
from boxproof.model.names import FARM, escape
from boxproof.model.policy import Access, format_rule, spelled_at
from boxproof.model.probe import format_probe
from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, parent

Weight: TypeAlias = tuple[int, ...]

ORDER: Final[tuple[Access, ...]] = ("rw", "ro", "deny")
"""The order of rules where it means nothing."""
_KINDS: Final[tuple[type[Entry], ...]] = (File, Dir, Link, HardLink, Fifo, Socket, Mount)
"""Kinds of entries, the plainest first."""


def weight(case: Case) -> Weight:
    """Return what is compared, the most telling first: lines, words, kinds, links, order, characters."""
    tree = Tree(case.topology)
    policy = case.policy
    return (
        len(case.topology.entries) + len(policy.rules),
        len(case.probes) + len(case.then),
        _words(case),
        sum(_KINDS.index(type(entry)) + _has_mode(entry) for entry in case.topology),
        sum(_detour(tree, spelling) for spelling in (policy.cwd, *(rule.spelling for rule in policy.rules))),
        sum(_shape(tree, entry) for entry in case.topology if isinstance(entry, Link)),
        _inversions(rule.access for rule in policy.rules),
        _characters(case),
    )


def plain_name(name: str) -> bool:
    """Tell whether a name is made of letters, digits and dots as anybody would write them."""
    return name.isascii() and name.strip(".").replace("-", "").replace("_", "").replace(".", "").isalnum()


def name_weight(name: str) -> int:
    """Return the characters of a name, an odd one counting as a long one."""
    return len(escape(name)) + (0 if plain_name(name) else len(_ODD))


_ODD: Final = "an odd name"


def relative(target: str, folder: str) -> str:
    """Return the plain text of a link in `folder` to `target`, both paths in the farm."""
    return posixpath.relpath(f"/{target}", f"/{folder}")


def _words(case: Case) -> int:
    policy = case.policy
    said = (case.launch, case.reorder, case.spoilt, case.deadline, policy.network)
    return sum(map(bool, said)) + (policy.reads != "everything") + (policy.tmp != "closed")


def _has_mode(entry: Entry) -> bool:
    return isinstance(entry, Dir | File) and entry.mode != type(entry)("x").mode


def _detour(tree: Tree, spelling: str) -> int:
    """Return 0 for a path written as plainly as can be, else 1 and one for each link crossed."""
    found = resolve(tree, spelled_at(spelling, tree.farm))
    inside = within(tree, found.real)
    if inside is None:
        return 1 + len(found.links) + (posixpath.normpath(spelling) != spelling)
    return 0 if spelling == (inside or FARM) else 1 + len(found.links)


def _shape(tree: Tree, link: Link) -> int:
    """Return 0 for plain relative text, 1 for plain absolute text, 2 for any other."""
    found = resolve(tree, f"{tree.farm}/{link.path}")
    target = within(tree, found.real or found.creatable)
    if target is None:
        return 2
    if link.text == relative(target, parent(link.path)):
        return 0
    return 1 if link.text == f"{FARM}/{target}" else 2


def _inversions(accesses: Iterable[Access]) -> int:
    return sum(ORDER.index(one) > ORDER.index(other) for one, other in combinations(tuple(accesses), 2))


def _characters(case: Case) -> int:
    names = sum(name_weight(name) for entry in case.topology for name in entry.path.split("/"))
    texts = sum(len(escape(entry.text)) for entry in case.topology if isinstance(entry, Link))
    rules = sum(len(format_rule(rule)) for rule in case.policy.rules)
    asked = sum(len(format_probe(probe)) for probe in (*case.probes, *case.then))
    return names + texts + rules + asked + len(escape(case.policy.cwd))
