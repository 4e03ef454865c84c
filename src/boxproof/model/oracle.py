# SPDX-License-Identifier: MIT
"""(Topology, Policy) -> Expectation: what each probe, and the launch itself, may come to.

The answer is a union over the admissible readings of a policy (`boxproof.model.access`); a probe may do what it does
under any of them. Nothing here looks at a disk.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from boxproof.model.access import READINGS, AccessMap, Meaning, Reading, is_below
from boxproof.model.case import Case
from boxproof.model.outcome import Allowed, Expectation
from boxproof.model.policy import format_rule, spelled_at
from boxproof.model.probe import MUTATING, Outcome, Probe
from boxproof.model.refusal import refusals
from boxproof.model.resolve import Resolution, Tree, resolve
from boxproof.model.topology import File, HardLink

_YES: Final[frozenset[Outcome]] = frozenset({"allowed"})
_NO: Final[frozenset[Outcome]] = frozenset({"denied", "absent"})
_ANY: Final[frozenset[Outcome]] = frozenset({"any"})


def expect(case: Case, farm: str) -> Expectation:
    """Return what may come of `case` with its farm at the absolute path `farm`; what the case says has priority."""
    meaning = Meaning(Tree(case.topology, farm), case.policy, case.level)
    reasons = refusals(meaning, case.level)
    launch = case.launch or frozenset({"ran", *reasons.outcomes})
    writable = frozenset(real for real in existing(meaning.tree) if _any_map(meaning, real, "rw"))
    return Expectation(
        launch=launch,
        probes=tuple(_probes(case, meaning)),
        one_of=_one_of(case, meaning),
        secret=frozenset(secrets(meaning)),
        writable=writable,
        fixed=frozenset(named.real for named in meaning.named if named.real and named.rule.access != "rw"),
        why="; ".join(reasons.words),
    )


def existing(tree: Tree) -> Iterator[str]:
    """Iterate over the canonical paths of all entries of the farm, and the farm itself."""
    yield tree.farm
    for entry in tree.topology:
        yield f"{tree.farm}/{entry.path}"


def secrets(meaning: Meaning) -> Iterator[str]:
    """Iterate over the canonical paths of files whose content must not come out under any reading.

    A file with a name that is not denied is none (contract, MASK-3).
    """
    tree = meaning.tree
    names: dict[str, list[str]] = {}
    for entry in tree.topology:
        path = f"{tree.farm}/{entry.path}"
        if isinstance(entry, File):
            names[path] = [path, *_twins(path, tree)]
        elif isinstance(entry, HardLink):
            first = next(known for known, group in names.items() if f"{tree.farm}/{entry.of}" in group)
            names[first] += [path, *_twins(path, tree)]
    for first, group in names.items():
        if all(access.of(name) in {"deny", "hidden"} for access in meaning.maps.values() for name in group):
            yield first


def _twins(path: str, tree: Tree) -> Iterator[str]:
    """Iterate over the other paths at which second mounts of a folder show `path`."""
    for mount in tree.topology.mounts:
        folder = f"{tree.farm}/{mount.of}"
        if mount.kind == "bind" and is_below(path, folder):
            yield f"{tree.farm}/{mount.path}{path.removeprefix(folder)}"


def question(probe: Probe, meaning: Meaning) -> Resolution:
    """Return what a probe's path leads to on the tree at launch."""
    tree = meaning.tree
    if not probe.path.startswith("./"):
        return resolve(tree, spelled_at(probe.path, tree.farm))
    cwd = resolve(tree, meaning.policy.at(tree.farm).cwd).real
    return resolve(tree, probe.path, cwd=cwd or "/")


def _probes(case: Case, meaning: Meaning) -> Iterator[Allowed]:
    mutated = False
    for probe in case.probes:
        if probe.expected:
            found = question(probe, meaning)
            real = "" if mutated else found.real or found.creatable
            yield Allowed(probe.expected, real, "the case says so")
        elif mutated or probe.operation not in _JUDGED:
            yield Allowed(_ANY)
        else:
            yield _union(probe, meaning)
        mutated = mutated or probe.operation in MUTATING


_JUDGED: Final = frozenset({"read", "write", "create", "connect"})


def _union(probe: Probe, meaning: Meaning) -> Allowed:
    found = question(probe, meaning)
    outcomes: set[Outcome] = set()
    words: list[str] = []
    for readings, access in meaning.maps.items():
        under = _under(probe, found, meaning, access)
        if not under <= outcomes:
            words += _words(readings)
        outcomes |= under
    real = found.creatable if probe.operation == "create" else found.real
    return Allowed(frozenset(outcomes), real, "; ".join([_reason(real, meaning), *dict.fromkeys(words)]))


def _under(probe: Probe, found: Resolution, meaning: Meaning, access: AccessMap) -> frozenset[Outcome]:
    if found.error == "outside":
        return _ANY
    if probe.operation == "create" or (probe.operation == "write" and found.creatable):
        return _creating(found, meaning, access)
    if found.error:
        return _NO
    if found.node not in {"file", "socket"}:
        return _ANY
    wanted = {"rw"} if probe.operation == "write" else {"ro", "rw"}
    if access.of(found.real) not in wanted:
        return _NO
    # path sockets are nobody's promise unless they are denied (contract, PROC-4)
    sure = probe.operation != "connect" and _surely_shown(found, found.real, meaning, access)
    return _YES if sure else _YES | _NO


def _creating(found: Resolution, meaning: Meaning, access: AccessMap) -> frozenset[Outcome]:
    if not found.creatable:
        return _NO
    granted = access.of(found.creatable) == "rw" and access.of(posixpath.dirname(found.creatable)) == "rw"
    if not granted:
        return _NO
    return _YES if _surely_shown(found, found.creatable, meaning, access) else _YES | _NO


def _surely_shown(found: Resolution, real: str, meaning: Meaning, access: AccessMap) -> bool:
    """Tell whether what is allowed at `real` must be usable by this very spelling."""
    if _through(found, access, "deny"):
        return False
    if meaning.policy.reads == "everything":
        return True
    through_links = any(access.of(link) == "hidden" for link in found.links)
    return not through_links and not _granted_by_alias(real, meaning, access)


def _through(found: Resolution, access: AccessMap, kind: str) -> bool:
    return any(access.of(place) == kind for place in (*found.searched, *found.links))


def _granted_by_alias(real: str, meaning: Meaning, access: AccessMap) -> bool:
    """Tell whether only spellings through links grant the object: a helper may then show it by those alone."""
    covering = access.covering(real)
    granting = [named for named in meaning.named if named.real == covering]
    return bool(granting) and all(named.found.links for named in granting)


def _one_of(case: Case, meaning: Meaning) -> tuple[tuple[int, ...], ...]:
    """Group the reads of one object under listed reads: at least one spelling of it must work (BIND-1)."""
    if meaning.policy.reads == "everything" or any(probe.operation in MUTATING for probe in case.probes):
        return ()
    groups: dict[str, list[int]] = {}
    for index, probe in enumerate(case.probes):
        found = question(probe, meaning)
        if probe.operation == "read" and found.node == "file" and _reachable(found, meaning):
            groups.setdefault(found.real, []).append(index)
    spelled = {named.real for named in meaning.named}
    return tuple(tuple(group) for real, group in groups.items() if len(group) > 1 or real in spelled)


def _reachable(found: Resolution, meaning: Meaning) -> bool:
    maps = meaning.maps.values()
    return all(access.of(found.real) in {"ro", "rw"} and not _through(found, access, "deny") for access in maps)


def _any_map(meaning: Meaning, real: str, access: str) -> bool:
    return any(known.of(real) == access for known in meaning.maps.values())


def _words(readings: Sequence[Reading]) -> list[str]:
    return [READINGS[reading] for reading in readings]


def _reason(real: str, meaning: Meaning) -> str:
    covering = meaning.plain.covering(real) if real else ""
    access = meaning.plain.rules.get(covering)
    for named in meaning.named:
        if named.real == covering and named.rule.access == access:
            return format_rule(named.rule)
    return "reads everything" if meaning.policy.reads == "everything" else "not listed"
