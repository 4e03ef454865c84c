# SPDX-License-Identifier: MIT
"""The hand-written cases of the suite, run under one bundled helper after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from attrs import define, evolve, field

from boxproof.conditions.registry import find_condition
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.ground import PATH, Ground
from boxproof.grounds.kit import Bundled, bundled_kit
from boxproof.grounds.places import find_places
from boxproof.helpers.base import Helper
from boxproof.helpers.reference import Reference
from boxproof.known_bad.table import find
from boxproof.model.case import Case
from boxproof.model.outcome import Verdict
from boxproof.runner import Run, Runner
from boxproof.surface.setup import suite_root
from tests.fixtures.gather import around, cases

LANDLOCK_ALONE = "landlock-best-effort"
"""The helper that is driven as one which has Landlock and no other way to confine."""
TWO_WAYS = "FALL-2"
"""The requirement about helpers that have two ways to confine; the reference has one."""
SECONDS = 30.0
"""Deadline of a launch, ample for a busy machine; no known-bad helper of the areas that have cases hangs."""


@define
class Bench:
    """A ground, and a runner for each helper.

    Args:
        ground: where launches happen, but for those of cases about a layout.
        source: the folder that holds the packages of the bundled helpers.
        exits: what is closed with the bench.
    """

    ground: Ground
    source: Path
    exits: ExitStack
    _runners: dict[tuple[str, str], Runner] = field(factory=dict, init=False)
    _layouts: dict[str, Ground] = field(factory=dict, init=False)

    def runner(self, name: str, layout: str = "") -> Runner:
        """Return what runs cases under a known-bad helper, or under the reference where `name` is empty."""
        key = (name, layout)
        if key not in self._runners:
            path = bundled_kit(self.ground.kit, Bundled(self.source, name), self.ground.user, PATH)
            helper = Helper(name or "reference", str(path))
            self._runners[key] = Runner(self._ground(layout), adapter_of(name), helper, SECONDS)
        return self._runners[key]

    def catching(self, name: str, cases: Iterable[Case]) -> str:
        """Return the first of the cases that fails under a helper, or ``""``."""
        return next((case.name for case in cases if failed(self.runner(name, case.layout).run(case))), "")

    def _ground(self, layout: str) -> Ground:
        if not layout:
            return self.ground
        if layout not in self._layouts:
            (place,) = find_places([f"layout:{layout}"], suite_root())
            ground = place.ground(self.ground)
            self._layouts[layout] = self.exits.enter_context(ground)
        return self._layouts[layout]


def adapter_of(name: str) -> Reference:
    """Return how a helper is driven; one that is bad at choosing between two ways to confine claims to have both."""
    if name == LANDLOCK_ALONE:
        return claiming("Landlock")
    bad = find(name)
    return claiming_two() if bad is not None and bad.caught == TWO_WAYS else Reference()


def claiming_two() -> Reference:
    """Return the reference's adapter, which says that the helper may use Landlock instead of bwrap."""
    return claiming("Landlock", *Reference().documented.engines)


def claiming(*engines: str) -> Reference:
    """Return the reference's adapter, which says that the helper may use any of these."""
    return Reference(documented=evolve(Reference().documented, engines=engines))


def failed(run: Run) -> bool:
    """Tell whether a case failed.

    Raises:
        AssertionError: where the suite could not do its work.
    """
    judgement = run.judgement
    assert judgement.verdict is not Verdict.ERROR, f"{run.case.name}: {judgement.reason}"
    return judgement.verdict is Verdict.FAIL


@contextmanager
def new_bench(source: Path) -> Iterator[Bench]:
    """Hold a ground, and leave nothing."""
    with Ground(launch_user("user"), "") as ground, ExitStack() as exits:
        yield Bench(ground, source, exits)


@cache
def by_requirement() -> dict[str, tuple[Case, ...]]:
    """Return the hand-written cases about policies that can fail a run, by requirement."""
    return _grouped(cases())


@cache
def by_any_requirement() -> dict[str, tuple[Case, ...]]:
    """Return the hand-written cases that can fail a run, by requirement."""
    return _grouped((*cases(), *around()))


def _grouped(known: Iterable[Case]) -> dict[str, tuple[Case, ...]]:
    found: dict[str, list[Case]] = {}
    for case in known:
        if case.level != "RECORD":
            found.setdefault(case.requirement, []).append(case)
    return {requirement: tuple(each) for requirement, each in found.items()}


def of(requirement: str) -> Sequence[Case]:
    """Return the cases of one requirement; where it takes two ways, those in which Landlock is what is missing."""
    cases = by_any_requirement().get(requirement, ())
    return [case for case in cases if lacks_landlock_alone(case)] if requirement == TWO_WAYS else cases


def lacks_landlock_alone(case: Case) -> bool:
    """Tell whether the host of a case lacks Landlock, and nothing that the reference needs."""
    return find_condition(case.condition).lacks == {"landlock"}
