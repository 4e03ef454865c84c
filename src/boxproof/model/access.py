# SPDX-License-Identifier: MIT
"""What a policy grants on a tree: the effective access of every canonical path, under one reading of the policy.

Nearest covering rule by canonical path; on one object deny before ro before rw (contract, BIND-4 and NEST-1). Where the
contract leaves a policy more than one meaning there are several readings, each with a name that a finding can print.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, Literal, TypeAlias

from attrs import evolve, field, frozen

from boxproof.model.case import Level
from boxproof.model.inodes import inodes
from boxproof.model.policy import Access, Policy, Rule, spelled_at
from boxproof.model.resolve import Resolution, Tree, resolve
from boxproof.model.walk import folder_of

Effective: TypeAlias = Literal["ro", "rw", "deny", "hidden"]
Reading: TypeAlias = Literal[
    "lexical deny", "trailing slash", "rw wins", "mount apart", "deny over allow", "missing ro"
]

_RANK: Final[Mapping[Access, int]] = {"deny": 0, "ro": 1, "rw": 2}
READINGS: Final[Mapping[Reading, str]] = {
    "lexical deny": "a deny may also cover what its text names without links (BIND-7)",
    "trailing slash": "a slash after a file may mean the file (BIND-7)",
    "rw wins": "ro against rw on one object is a SHOULD (BIND-4)",
    "mount apart": "a second mount is a SHOULD (MASK-9)",
    "deny over allow": "an allow below a deny may be void (NEST-2)",
    "missing ro": "a missing ro name may be protected (START-2)",
}
_LENIENT: Final[frozenset[Reading]] = frozenset({"rw wins", "mount apart"})
"""Readings that a SHOULD does not admit."""
_SLASHES: Final = re.compile(r"(/\.?)+$")


@frozen
class Named:
    """A rule and what its spelling leads to on the tree at launch.

    Args:
        found: as the launch user resolves the spelling.
        behind: canonical path of what the spelling leads to but for a folder that the launch user cannot search.
    """

    rule: Rule
    spelling: str
    found: Resolution
    behind: str = ""

    @property
    def real(self) -> str:
        """Canonical path of the object or, for a deny, of the name that must not come into being; ``""``: nowhere."""
        return self.found.real or self.behind or (self.found.creatable if self.rule.access == "deny" else "")


@frozen
class AccessMap:
    """The effective access of every canonical path under one set of readings."""

    tree: Tree
    default: Effective
    rules: Mapping[str, Access]
    merged: bool = True
    _known: dict[str, Effective] = field(factory=dict, eq=False, repr=False, init=False)

    def of(self, real: str) -> Effective:
        """Return the access of a canonical path, existing or not."""
        if real not in self._known:
            found = [self._nearest(real, self.rules)]
            if self.merged:
                found.append(self._nearest(self.tree.origin(real), self._origins))
            covered: list[Access] = [access for access in found if access is not None]
            self._known[real] = _strongest(covered) if covered else self.default
        return self._known[real]

    def covering(self, real: str) -> str:
        """Return the canonical path of the object whose rule decides over `real`, or ``""`` for the default."""
        return next((path for path in ancestry(real) if path in self.rules), "")

    @cached_property
    def _origins(self) -> Mapping[str, Access]:
        """The rules by what their objects show: one entry for a folder and all second mounts of it."""
        rules: dict[str, Access] = {}
        for real, access in self.rules.items():
            origin = self.tree.origin(real)
            rules[origin] = _stronger(rules.get(origin, access), access, rw_wins=False)
        return rules

    @staticmethod
    def _nearest(real: str, rules: Mapping[str, Access]) -> Access | None:
        return next((rules[path] for path in ancestry(real) if path in rules), None)


@frozen
class Meaning:
    """A policy on a tree: its rules as the kernel resolves them, and its admissible readings."""

    tree: Tree
    policy: Policy
    strength: Level = "MUST"

    @cached_property
    def named(self) -> tuple[Named, ...]:
        """Each rule with what it leads to, in the policy's order."""
        return tuple(self._named(rule) for rule in self.policy.rules)

    @cached_property
    def inodes(self) -> Mapping[str, tuple[str, ...]]:
        """The names of each file by its first; see `boxproof.model.inodes`."""
        return inodes(self.tree)

    @cached_property
    def plain(self) -> AccessMap:
        """The reading that the contract prefers."""
        return self.read(())

    @cached_property
    def maps(self) -> Mapping[tuple[Reading, ...], AccessMap]:
        """All admissible readings, alone and together; that with the empty name is `plain`."""
        maps: dict[tuple[Reading, ...], AccessMap] = {(): self.plain}
        for reading in self._admitted:
            for readings, known in list(maps.items()):
                new = self.read((*readings, reading))
                if new != known:
                    maps[*readings, reading] = new
        return maps

    def read(self, readings: Sequence[Reading]) -> AccessMap:
        """Return the map under exactly these readings."""
        rules: dict[str, Access] = {}
        for access, real in self._grants(readings):
            known = rules.get(real, access)
            rules[real] = _stronger(known, access, rw_wins="rw wins" in readings)
        if "deny over allow" in readings:
            rules = {real: access for real, access in rules.items() if access == "deny" or not _below_deny(real, rules)}
        default: Effective = "ro" if self.policy.reads == "everything" else "hidden"
        return AccessMap(self.tree, default, rules, merged=self._has_twins and "mount apart" not in readings)

    def conflicts(self) -> frozenset[str]:
        """Return the canonical paths to which several rules give different access."""
        by_object: dict[str, set[Access]] = {}
        for named in self.named:
            if named.real:
                by_object.setdefault(self.tree.origin(named.real), set()).add(named.rule.access)
        return frozenset(real for real, accesses in by_object.items() if len(accesses) > 1)

    def rewritable(self, named: Named) -> bool:
        """Tell whether the rule's spelling crosses a link that the command could re-point."""
        folders = (folder for link in named.found.links for folder in ancestry(posixpath.dirname(link)))
        return any(self.plain.of(folder) == "rw" for folder in folders)

    def lexical(self, named: Named) -> str:
        """Return what the spelling names when ``..`` is taken as text, where that is another existing object."""
        real = resolve(self.tree, posixpath.normpath(named.spelling)).real
        return real if real != named.real else ""

    def unslashed(self, named: Named) -> str:
        """Return the file that the spelling names but for the slash or ``/.`` at its end, or ``""``."""
        stripped = _SLASHES.sub("", named.spelling)
        return resolve(self.tree, stripped).real if stripped and named.found.error == "ENOTDIR" else ""

    def _named(self, rule: Rule) -> Named:
        spelling = spelled_at(rule.spelling, self.tree.farm)
        found = resolve(self.tree, spelling)
        behind = resolve(evolve(self.tree, privileged=True), spelling).real if found.error == "EACCES" else ""
        return Named(rule, spelling, found, behind)

    def _grants(self, readings: Sequence[Reading]) -> Iterator[tuple[Access, str]]:
        for named in self.named:
            access = named.rule.access
            if named.real:
                yield access, named.real
            if "lexical deny" in readings and access == "deny" and self.lexical(named):
                yield access, self.lexical(named)
            binding = access == "deny" and self.strength == "SHOULD"
            if ("trailing slash" in readings or binding) and self.unslashed(named):
                yield access, self.unslashed(named)
            if "missing ro" in readings and access == "ro" and named.found.creatable:
                yield access, named.found.creatable

    @property
    def _admitted(self) -> Iterator[Reading]:
        return (reading for reading in READINGS if self.strength != "SHOULD" or reading not in _LENIENT)

    @property
    def _has_twins(self) -> bool:
        return any(mount.kind == "bind" for mount in self.tree.topology.mounts)


def meaning_of(tree: Tree, policy: Policy, strength: Level = "MUST") -> Meaning:
    """Return the meaning of a policy on a tree, the same one each time for as long as the topology is kept."""
    known: dict[object, Meaning] = tree.meanings
    key = (policy, strength)
    if key not in known:
        known[key] = Meaning(tree, policy, strength)
    return known[key]


def ancestry(real: str) -> Iterator[str]:
    """Iterate over a canonical path and its folders up to ``/``."""
    while real != "/":
        yield real
        real = folder_of(real)
    yield real


def is_below(real: str, folder: str) -> bool:
    """Tell whether a canonical path lies strictly below a folder."""
    return real != folder and real.startswith(f"{folder.rstrip('/')}/")


def _strongest(accesses: Sequence[Access]) -> Access:
    return min(accesses, key=_RANK.__getitem__)


def _stronger(one: Access, other: Access, *, rw_wins: bool) -> Access:
    if rw_wins and "deny" not in (one, other):
        return "rw" if "rw" in (one, other) else one
    return _strongest((one, other))


def _below_deny(real: str, rules: Mapping[str, Access]) -> bool:
    return any(rules.get(folder) == "deny" for folder in ancestry(posixpath.dirname(real)) if real != "/")
