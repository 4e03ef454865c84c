# SPDX-License-Identifier: MIT
"""Both oracles about the same farms: the model, and the one that walks the disk; and every difference."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from attrs import Factory, define, evolve, frozen

from boxproof.farm import Farm
from boxproof.grounds.kernel import MS_BIND, mount, unmount
from boxproof.model.case import Case
from boxproof.model.casefile import dump_case
from boxproof.model.derive import derive
from boxproof.model.oracle import expect
from boxproof.model.outcome import Allowed, Expectation
from boxproof.model.probe import MUTATING, Probe, format_probe
from boxproof.model.topology import File, HardLink
from tests.independent.answer import ASKED, answer, doubts, reach
from tests.independent.descriptors import Descriptors, Reached, Spot, second_mounts
from tests.independent.grants import Grants

NO: Final = frozenset({"denied", "absent"})
SHOWN: Final = 20
"""Differences that are kept in full; the others are counted."""


@define
class Tally:
    """What was compared, how far the model left things open, and every difference."""

    cases: int = 0
    answers: Counter[str] = Factory(Counter)
    reasons: Counter[str] = Factory(Counter)
    count: int = 0
    differences: list[str] = Factory(list)

    def differ(self, what: str, case: Case) -> None:
        """Note a difference, with the case that shows it."""
        self.count += 1
        if len(self.differences) < SHOWN:
            self.differences.append(f"{what}\n{dump_case(case)}")

    def add(self, other: Tally) -> None:
        """Take in what was compared elsewhere."""
        self.cases += other.cases
        self.answers.update(other.answers)
        self.reasons.update(other.reasons)
        self.count += other.count
        self.differences = [*self.differences, *other.differences][:SHOWN]


@define
class Mounts:
    """Mounts of this process's own mount namespace, and which folder each second one shows."""

    root: str = "/proc/self/root"
    second: dict[str, str] = Factory(dict)
    _made: list[str] = Factory(list)

    def mount_tmpfs(self, path: str) -> None:
        """Mount an empty file system."""
        mount(b"none", os.fsencode(path), b"tmpfs", 0, b"mode=0755")
        self._made.append(path)

    def mount_bind(self, of: str, path: str) -> None:
        """Mount a folder a second time."""
        mount(os.fsencode(of), os.fsencode(path), b"", MS_BIND)
        self._made.append(path)
        self.second[path] = of

    def unmount_all(self) -> None:
        """Take down everything, the last first."""
        self.second.clear()
        while self._made:
            unmount(os.fsencode(self._made.pop()))


@frozen
class Both:
    """The two oracles beside one farm, which is built anew for each case."""

    farm: Farm
    mounts: Mounts
    tally: Tally = Factory(Tally)

    def compare(self, case: Case) -> None:
        """Build the farm of a case and hold both answers to each of its probes against each other."""
        asked = evolve(case, probes=case.probes or derive(case.topology, case.policy, self.farm.path))
        self.farm.build(case.topology, case.id)
        with Descriptors() as walks:
            walks.second.update(second_mounts(walks, self.mounts.second))
            grants = Grants(walks, case.policy, self.farm.path)
            expected = expect(asked, self.farm.path)
            self._probes(asked, expected, grants)
            for what in _objects(asked, expected, grants):
                self.tally.differ(what, asked)
        self.tally.cases += 1

    def _probes(self, case: Case, expected: Expectation, grants: Grants) -> None:
        for probe, allowed in zip(case.probes, expected.probes, strict=True):
            if probe.operation in MUTATING:
                return
            if probe.operation in ASKED and not probe.expected:
                self._one(probe, allowed, case, grants)

    def _one(self, probe: Probe, allowed: Allowed, case: Case, grants: Grants) -> None:
        reached = reach(probe, grants)
        found = answer(probe, reached, grants)
        self.tally.answers[_kind(allowed)] += 1
        for what in (
            _differs(found, allowed),
            _elsewhere(reached, allowed, grants),
            self._open(reached, allowed, grants),
        ):
            if what:
                self.tally.differ(f"{format_probe(probe)}: {what}", case)

    def _open(self, reached: Reached, allowed: Allowed, grants: Grants) -> str:
        """Say so where the model leaves open what nothing in the contract does."""
        if _kind(allowed) in {"allowed", "denied"}:
            return ""
        reasons = list(doubts(reached, grants))
        self.tally.reasons.update(reasons)
        return "" if reasons else "the model leaves open what nothing makes doubtful"


@contextmanager
def both() -> Iterator[Both]:
    """Make a folder for farms, in whatever mount namespace this process is."""
    with tempfile.TemporaryDirectory(prefix="boxproof-independent-") as folder:
        mounts = Mounts()
        with Farm(Path(os.path.realpath(folder)), os.geteuid(), os.getegid(), mounts) as farm:
            yield Both(farm, mounts)


def compare(cases: Sequence[Case]) -> Tally:
    """Compare both oracles over all of these cases."""
    with both() as beside:
        for case in cases:
            beside.compare(case)
        return beside.tally


def _kind(allowed: Allowed) -> str:
    if allowed.outcomes == {"allowed"}:
        return "allowed"
    return "denied" if allowed.outcomes and allowed.outcomes <= NO else "open"


def _differs(found: str, allowed: Allowed) -> str:
    if found in allowed.outcomes or "any" in allowed.outcomes or (found in NO and allowed.outcomes & NO):
        return ""
    return f"'{found}' on disk, {sorted(allowed.outcomes)} in the model"


def _elsewhere(reached: Reached, allowed: Allowed, grants: Grants) -> str:
    if not allowed.real or reached.spot is None:
        return f"nothing on disk, '{allowed.real}' in the model" if allowed.real else ""
    real = grants.walks.real(reached.spot)
    return "" if real == allowed.real else f"leads to '{real}' on disk, to '{allowed.real}' in the model"


def _objects(case: Case, expected: Expectation, grants: Grants) -> Iterator[str]:
    """Compare what may not come out and what may be changed, over all objects of the farm."""
    names: dict[tuple[int, int], list[str]] = {}
    for entry in case.topology:
        path = f"{grants.farm}/{entry.path}"
        facts = os.lstat(path)
        reached = grants.walks.walk(path)
        sure = not reached.crossed and not any(doubts(reached, grants))
        spot = _spot(path, grants)
        if grants.of(spot) == "rw" and path not in expected.writable:
            yield f"'{entry.path}' can be written, but not in the model"
        if sure and grants.of(spot) != "rw" and path in expected.writable:
            yield f"'{entry.path}' can be written in the model alone"
        if isinstance(entry, File | HardLink):
            names.setdefault((facts.st_dev, facts.st_ino), []).append(path)
            if sure and grants.of(spot) not in {"ro", "rw"} and path not in expected.secret:
                yield f"'{entry.path}' may come out in the model alone"
    for known in names.values():
        if known[0] in expected.secret and any(grants.of(_spot(path, grants)) in {"ro", "rw"} for path in known):
            yield f"'{known[0]}' is a secret in the model alone"


def _spot(path: str, grants: Grants) -> Spot:
    """Return the spot at a path below the farm that holds no link but at its end."""
    folder = grants.walks.walk(os.path.dirname(path)).spot
    assert folder is not None
    here = grants.walks.walk(path)
    is_folder = here.spot is not None and not here.spot.name and not here.crossed
    return here.spot if is_folder and here.spot else Spot(folder.folder, os.path.basename(path))
