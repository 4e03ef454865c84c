# SPDX-License-Identifier: MIT
"""(Topology, Policy) -> Expectation: what each probe, and the launch itself, may come to.

The answer is a union over the admissible readings of a policy (`boxproof.model.access`); a probe may do what it does
under any of them. Nothing here looks at a disk.
"""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.access import READINGS, Meaning, meaning_of
from boxproof.model.admissible import ANY, JUDGED, admissible, question
from boxproof.model.case import Case
from boxproof.model.outcome import Allowed, Expectation
from boxproof.model.policy import format_rule, spelled_at
from boxproof.model.probe import MUTATING, Outcome, Probe
from boxproof.model.refusal import refusals
from boxproof.model.resolve import Resolution, Tree


def expect(case: Case, farm: str) -> Expectation:
    """Return what may come of `case` with its farm at the absolute path `farm`; what the case says has priority."""
    meaning = meaning_of(Tree(case.topology, farm), case.policy, case.level)
    reasons = refusals(meaning, case.level)
    writable = frozenset(real for real in meaning.tree.nodes if _in_any(meaning, real, "rw"))
    return Expectation(
        launch=case.launch or frozenset({"ran", *reasons.outcomes}),
        probes=tuple(_probes(case, meaning)),
        one_of=tuple(_one_of(case, meaning)),
        secret=frozenset(secrets(meaning)),
        writable=writable,
        fixed=frozenset(named.real for named in meaning.named if named.real and named.rule.access != "rw") - writable,
        why="; ".join(reasons.words),
    )


def secrets(meaning: Meaning) -> Iterator[str]:
    """Iterate over the canonical paths of files whose content must not come out under any reading.

    A file with a name that is not denied is none (contract, MASK-3).
    """
    maps = meaning.maps.values()
    for first, names in meaning.inodes.items():
        if all(access.of(name) in {"deny", "hidden"} for access in maps for name in names):
            yield first


def _probes(case: Case, meaning: Meaning) -> Iterator[Allowed]:
    mutated = False
    for probe in case.probes:
        found = question(probe, meaning)
        made = found.creatable if probe.operation in {"write", "create"} else ""
        real = "" if mutated else found.real or made
        if probe.expected:
            yield Allowed(probe.expected, real, "the case says so")
        elif mutated or probe.operation not in JUDGED:
            yield Allowed(ANY)
        else:
            yield _union(probe, found, real, meaning)
        mutated = mutated or probe.operation in MUTATING


def _union(probe: Probe, found: Resolution, real: str, meaning: Meaning) -> Allowed:
    outcomes: frozenset[Outcome] = frozenset()
    words = [_reason(real, meaning)]
    for readings, access in meaning.maps.items():
        under = admissible(probe, found, meaning, access)
        if not under <= outcomes:
            words += [READINGS[reading] for reading in readings]
        outcomes |= under
    return Allowed(outcomes, real, "; ".join(dict.fromkeys(words)))


def _one_of(case: Case, meaning: Meaning) -> Iterator[tuple[int, ...]]:
    """Group reads of one object under listed reads: the rule's spelling or the real path must work (BIND-1)."""
    if meaning.policy.reads == "everything" or any(probe.operation in MUTATING for probe in case.probes):
        return
    asked = {
        spelled_at(probe.path, meaning.tree.farm): number
        for number, probe in enumerate(case.probes)
        if probe.operation == "read" and not probe.expected
    }
    for real, node in meaning.tree.nodes.items():
        wanted = _spelled(real, meaning) if node.kind == "file" and _granted(real, meaning) else frozenset()
        if len(wanted) > 1 and wanted <= asked.keys():
            yield tuple(sorted(asked[spelling] for spelling in wanted))


def _spelled(real: str, meaning: Meaning) -> frozenset[str]:
    """Return the real path of a granted file and its spellings by the rules that grant it."""
    covering = meaning.plain.covering(real)
    granting = [named for named in meaning.named if named.real == covering]
    rest = real.removeprefix(covering)
    return frozenset([real, *(f"{named.spelling.rstrip('/')}{rest}" for named in granting)])


def _granted(real: str, meaning: Meaning) -> bool:
    return all(access.covering(real) and access.of(real) in {"ro", "rw"} for access in meaning.maps.values())


def _in_any(meaning: Meaning, real: str, wanted: str) -> bool:
    return any(access.of(real) == wanted for access in meaning.maps.values())


def _reason(real: str, meaning: Meaning) -> str:
    covering = meaning.plain.covering(real) if real else ""
    access = meaning.plain.rules.get(covering)
    for named in meaning.named:
        if named.real == covering and named.rule.access == access:
            return format_rule(named.rule)
    return "reads everything" if meaning.policy.reads == "everything" else "not listed"
