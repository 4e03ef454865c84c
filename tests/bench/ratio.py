# SPDX-License-Identifier: MIT
"""Total over launch: what the suite adds to a helper's own time, case by case in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Final

from attrs import frozen

import conformance.test_generated
from boxproof.model.case import Case
from boxproof.model.suite import GeneratedSource
from boxproof.surface.examples import draw
from tests.bench.subject import Subject, Timed

_WARM_UP: Final = 5
_PACED: Final = 200
_SEED: Final = 0


@frozen
class Ratio:
    """What was measured of one helper; seconds a case, each the median, of a processor the mean.

    Args:
        helper: its name.
        cases: how many were run.
        draw: Hypothesis, builder and all; of a processor.
        total: from the drawn case to its verdict.
        launch: the helper alone, as the launcher sees it.
        bare: the bare loop.
        busy: of a processor, from the drawn case to its verdict, the launches included.
        bare_busy: of a processor, the bare loop.
        answered: share of the bare loop's runs that answered as much as the engine's.
        paces: launches a second of one bare loop, and of two at the same time.
    """

    helper: str
    cases: int
    draw: float
    total: float
    launch: float
    bare: float
    busy: float
    bare_busy: float
    answered: float
    paces: tuple[float, float]

    @property
    def ratio(self) -> float:
        """Total time of a generated case over the bare launch."""
        return (self.draw + self.total) / self.bare

    @property
    def busy_ratio(self) -> float:
        """The same of processor time, which other load on the machine changes less."""
        return (self.draw + self.busy) / self.bare_busy


def drawn(examples: int) -> tuple[list[Case], float]:
    """Return so many cases of each source without a relation, and the processor seconds that drawing one takes."""
    sources = [known for known in vars(conformance.test_generated).values() if isinstance(known, GeneratedSource)]
    single = [source for source in sources if not source.relation]
    draw(single[0], _WARM_UP, _SEED + 1)
    processor = time.process_time()
    cases = [case for source in single for case in draw(source, examples, _SEED)]
    return cases, (time.process_time() - processor) / len(cases)


def measure(subject: Subject, examples: int) -> Ratio:
    """Run the same drawn cases by the engine and by the bare loop, the one and the other first in turns."""
    cases, seconds = drawn(examples)
    for case in cases[:_WARM_UP]:
        subject.time(case, bare_first=False)
    cases, seconds = drawn(examples)
    launched = subject.launched
    timed = [subject.time(case, bare_first=bool(number % 2)) for number, case in enumerate(cases)]
    launched = (subject.launched - launched) / len(cases)
    ran = [(one, case) for one, case in zip(timed, cases, strict=True) if one is not None]
    ran.sort(key=lambda each: each[0].bare)
    usual = ran[len(ran) // 2][1]
    paces = subject.pace(usual, 1, _PACED), subject.pace(usual, 2, _PACED)
    return _summed(subject.name, seconds, launched, [one for one, _ in ran], paces)


def _summed(helper: str, seconds: float, launched: float, timed: Sequence[Timed], paces: tuple[float, float]) -> Ratio:
    return Ratio(
        helper=helper,
        paces=paces,
        cases=len(timed),
        draw=seconds,
        total=statistics.median(one.total for one in timed),
        launch=statistics.median(one.launch for one in timed),
        bare=statistics.median(one.bare for one in timed),
        busy=launched + statistics.mean(one.busy for one in timed),
        bare_busy=statistics.mean(one.bare_busy for one in timed),
        answered=statistics.mean(one.answered for one in timed),
    )
