# SPDX-License-Identifier: MIT
"""One process of a soak: a ground, two helpers, and the same cases over and over."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import Factory, define, evolve, frozen

from boxproof.grounds.accounts import launch_user
from boxproof.grounds.ground import PATH, Ground
from boxproof.grounds.kit import Bundled, bundled_kit
from boxproof.helpers.registry import REFERENCE, find
from boxproof.model.case import Case
from boxproof.runner import Runner
from boxproof.surface.examples import draw
from boxproof.surface.profiles import register_profiles
from tests.fixtures.gather import cases
from tests.soak.usage import Usage, usage
from tests.strategies.gather import sources

HELPERS: Final = (REFERENCE, "bwrap")
EVERY: Final = 20
"""Of the hand-written cases one in so many, so that there are many rounds; what has grown shows between two."""
DRAWN: Final = 2
"""Cases of each generated source beside those."""
SHOWN: Final = 10
"""Changed verdicts that are kept."""
SECONDS: Final = 60.0
"""Deadline of a launch, ample for a busy machine."""


@frozen
class Sample:
    """What is held after a full round over all cases.

    Args:
        launches: so far, by this process.
        seconds: since its start.
        verdicts: how often each was given to each helper so far.
        changed: the first verdicts that differ from those of the first round.
    """

    launches: int
    seconds: float
    usage: Usage
    verdicts: Mapping[str, Counter[str]]
    changed: tuple[str, ...] = ()


@define
class Verdicts:
    """The verdicts so far: how many, and what has changed since the first round; a list of all would itself grow."""

    counts: dict[str, Counter[str]] = Factory(dict)
    changed: list[str] = Factory(list)
    _first: dict[tuple[str, str], str] = Factory(dict)

    def add(self, helper: str, case: str, verdict: str) -> None:
        """Note one."""
        self.counts.setdefault(helper, Counter())[verdict] += 1
        first = self._first.setdefault((helper, case), verdict)
        if verdict != first and len(self.changed) < SHOWN:
            self.changed.append(f"{helper}: {case} was {first}, and is {verdict}")


def soak(number: int, of: int, launches: int, seconds: float) -> Iterator[Sample]:
    """Run part `number` of `of` over and over until either bound is reached; iterate over what each round leaves."""
    begun, done, verdicts = time.monotonic(), 0, Verdicts()
    asked = _cases()[number::of]
    with Ground(launch_user("user"), "") as ground:
        runners = [_runner(ground, name) for name in HELPERS]
        while done < launches and time.monotonic() - begun < seconds:
            for case in asked:
                for runner in runners:
                    run = runner.run(case)
                    done += run.launches
                    verdicts.add(runner.helper.name, case.name, run.judgement.verdict.value)
                if done >= launches or time.monotonic() - begun >= seconds:
                    break
            counts = {name: Counter(count) for name, count in verdicts.counts.items()}
            yield Sample(done, time.monotonic() - begun, usage(ground.base), counts, tuple(verdicts.changed))


def _runner(ground: Ground, name: str) -> Runner:
    adapter, helper = find(name, None, {})
    if name == REFERENCE:
        source = Path(helper.path).parents[1]
        helper = evolve(helper, path=str(bundled_kit(ground.kit, Bundled(source), ground.user, PATH)))
    return Runner(ground, adapter, helper, SECONDS)


def _cases() -> Sequence[Case]:
    """Return cases that need no more than a launch or two each."""
    register_profiles()
    written = [case for case in cases() if not case.condition and not case.deadline and len(case.policy.rules) < 100]
    return (*written[::EVERY], *(case for source in sources() for case in draw(source, DRAWN, 0) if not case.relation))
