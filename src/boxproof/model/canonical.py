# SPDX-License-Identifier: MIT
"""One form for all cases that differ only in names, in the order of entries and in what is said about them.

Bugs are told apart by requirement, kind and the canonical form of the smallest failing case, never by text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, permutations, product
from typing import Final

from attrs import evolve, frozen

from boxproof.model.case import Case
from boxproof.model.casefile import dump_case
from boxproof.model.moved import Step, moved, split, steps
from boxproof.model.policy import Rule
from boxproof.model.resolve import Tree
from boxproof.model.topology import Dir, Entry, File, HardLink, Link, Mount, Topology, parent

_PLAIN: Final = re.compile(r"[A-Za-z0-9_.]|(?<!^)-")
_LONG: Final = 100
"""Bytes from which the length of a name may be what a helper trips over."""
_ORDERS: Final = 120
"""Orders of rules that are compared; a shrunk case has far fewer."""
_SIZE: Final = 16
_ANY: Final = "ANY-0"


def canonical(case: Case) -> Case:
    """Return the form that all cases of one shape share.

    Names are numbered in order of use, and keep only characters that a helper could misread. Rules of one access that
    stand side by side are sorted, since their order means nothing; where rules of different access stand in an order
    of their own, that order can be the bug. Spelling noise, the shape of link texts and explicit probes stay.
    """
    bare = evolve(case, id="canonical", title="", sources=(), level="MUST")
    forms = (_renamed(evolve(bare, policy=evolve(bare.policy, rules=rules))) for rules in _orders(bare))
    return min(islice(forms, _ORDERS), key=dump_case)


def bug_form(case: Case) -> Case:
    """Return what the smallest cases of one bug share, whatever requirement each was found under."""
    return canonical(evolve(case, requirement=_ANY, probes=()))


def fingerprint(case: Case) -> str:
    """Return 16 hexadecimal digits that are the same for two shrunk cases of one bug."""
    return hashlib.sha256(dump_case(canonical(case)).encode("utf-8", "surrogateescape")).hexdigest()[:_SIZE]


def _orders(case: Case) -> Iterator[tuple[Rule, ...]]:
    """Iterate over the orders of rules of one access that stand side by side."""
    runs = [tuple(run) for _, run in groupby(case.policy.rules, key=lambda rule: rule.access)]
    return (tuple(chain.from_iterable(order)) for order in _products(runs))


def _products(runs: Sequence[tuple[Rule, ...]]) -> Iterable[tuple[tuple[Rule, ...], ...]]:
    # `product` holds all orders of a run, which are too many for a long one
    return product(*(tuple(islice(permutations(sorted(run, key=_length)), _ORDERS)) for run in runs))


def _length(rule: Rule) -> tuple[int, ...]:
    """Return what of a spelling no name decides, so that long runs come close to one order."""
    return rule.spelling.count("/"), rule.spelling.count("..")


def _renamed(case: Case) -> Case:
    names: dict[str, str] = {}
    for path in _uses(case):
        if path and path not in names:
            above = names.get(parent(path), parent(path))
            names[path] = f"{above}/{_name(path, len(names))}".removeprefix("/")
    changed = moved(case, names)
    return evolve(changed, topology=evolve(changed.topology, entries=tuple(_sorted(changed.topology))))


def _name(path: str, number: int) -> str:
    name = path.rpartition("/")[2]
    odd = {_class(character) for character in _PLAIN.sub("", name)}
    long = len(name.encode("utf-8", "surrogateescape")) >= _LONG
    return f"{'-' if name.startswith('-') else ''}n{number}{'long' * long}{''.join(sorted(odd - {'-'}))}"


def _class(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return "\udcff"
    return character if character.isascii() else "é"


def _uses(case: Case) -> Iterator[str]:
    """Iterate over paths in order of use, a folder always before what lies in it."""
    walks = _Walks(Tree(case.topology), set())
    probes = (text for probe in (*case.probes, *case.then) for text in (probe.path, probe.other) if text)
    for text in (*(rule.spelling for rule in case.policy.rules), case.policy.cwd, *probes):
        yield from walks.along(text, "")
    for entry in sorted(case.topology, key=_shape):
        yield from _ancestry(entry.path)


@frozen
class _Walks:
    tree: Tree
    crossed: set[str]

    def along(self, text: str, folder: str) -> Iterator[str]:
        before, rest = split(text)
        if not before and rest.startswith("/"):
            return
        for step in steps(self.tree, rest, "" if before else folder):
            yield from _ancestry(step.path)
            yield from self._through(step)

    def _through(self, step: Step) -> Iterator[str]:
        entry = self.tree.topology.by_path.get(step.path)
        if isinstance(entry, Link) and step.path not in self.crossed:
            self.crossed.add(step.path)
            yield from self.along(entry.text, parent(entry.path))


def _shape(entry: Entry) -> tuple[int, str, str]:
    """Return what tells entries apart that nothing uses, the name last."""
    return entry.path.count("/"), type(entry).__name__, entry.path


def _ancestry(path: str) -> Iterator[str]:
    for end in (place for place, character in enumerate(path) if character == "/"):
        yield path[:end]
    yield path


def _sorted(topology: Topology) -> Iterator[Entry]:
    """Iterate over the entries in an order of their own that a farm can be made in."""
    ranks = (Dir, File, HardLink, Link)
    rest = sorted(topology, key=lambda entry: (_rank(entry, ranks), _natural(entry.path)))
    made: set[str] = {""}
    while rest:
        ready = next(entry for entry in rest if _needs(entry) <= made)
        rest.remove(ready)
        made.add(ready.path)
        yield ready


def _rank(entry: Entry, ranks: tuple[type[Entry], ...]) -> int:
    return ranks.index(type(entry)) if type(entry) in ranks else len(ranks)


def _natural(path: str) -> tuple[int, str]:
    return len(path), path


def _needs(entry: Entry) -> set[str]:
    of = entry.of if isinstance(entry, HardLink) or (isinstance(entry, Mount) and entry.of) else ""
    return {parent(entry.path), of}
