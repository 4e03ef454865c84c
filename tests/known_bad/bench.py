# SPDX-License-Identifier: MIT
"""The hand-written cases of the suite, run under one bundled helper after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
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

TWO_WAYS = "FALL-2"
"""The requirement about helpers that have two ways to confine; the reference has one."""
LANDLOCK_ALONE = "landlock-best-effort"
"""The helper that confines by Landlock alone; the reference does by bwrap."""
SECONDS = 30.0
"""Deadline of a launch, ample for a busy machine; no known-bad helper of the areas that have cases hangs."""


@define
class Bench:
    """This host, the layouts that cases are about, and a runner for each helper on each of them.

    Args:
        host: where launches happen, but for those of a case about a layout.
        source: the folder that holds the packages of the bundled helpers.
    """

    host: Ground
    source: Path
    _exits: ExitStack = field(factory=ExitStack, init=False)
    _grounds: dict[str, Ground] = field(factory=dict, init=False)
    _runners: dict[tuple[str, str], Runner] = field(factory=dict, init=False)

    def close(self) -> None:
        """End the launchers in layouts."""
        self._exits.close()

    def runner(self, name: str, layout: str = "") -> Runner:
        """Return what runs cases about a layout under a known-bad helper, or under the reference if `name` is empty."""
        if (name, layout) not in self._runners:
            path = bundled_kit(self.host.kit, Bundled(self.source, name), self.host.user, PATH)
            helper = Helper(name or "reference", str(path))
            self._runners[name, layout] = Runner(self._ground(layout), adapter_of(name), helper, SECONDS)
        return self._runners[name, layout]

    def _ground(self, layout: str) -> Ground:
        if not layout:
            return self.host
        if layout not in self._grounds:
            (place,) = find_places([f"layout:{layout}"], suite_root())
            self._grounds[layout] = self._exits.enter_context(place.ground(self.host))
        return self._grounds[layout]

    def catching(self, name: str, cases: Iterable[Case]) -> str:
        """Return the first of the cases that fails under a helper, or ``""``."""
        return next((case.name for case in cases if failed(self.runner(name, case.layout).run(case))), "")


def adapter_of(name: str) -> Reference:
    """Return how a helper is driven: as one that confines by what it is bad at."""
    if name == LANDLOCK_ALONE:
        return claiming("Landlock")
    bad = find(name)
    return claiming_two() if bad is not None and bad.caught == TWO_WAYS else Reference()


def claiming_two() -> Reference:
    """Return the reference's adapter, which says that the helper may use Landlock instead of bwrap."""
    return claiming("Landlock", *Reference().documented.engines)


def claiming(*engines: str) -> Reference:
    """Return the reference's adapter, which says that the helper may use these engines."""
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
    with Ground(launch_user("user"), "") as ground, closing(Bench(ground, source)) as bench:
        yield bench


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
