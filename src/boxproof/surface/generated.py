# SPDX-License-Identifier: MIT
"""Generated tests as pytest items: all examples are run and every finding is kept, then each bug is told once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import pytest
from attrs import define, evolve, field

from boxproof.model.case import Case
from boxproof.model.outcome import Verdict
from boxproof.model.policy import Policy
from boxproof.model.suite import GeneratedSource
from boxproof.model.topology import Topology
from boxproof.runner import Run
from boxproof.surface.bugs import Runs, find_bugs
from boxproof.surface.classes import classes
from boxproof.surface.engine import ENGINE, Engine, Subject, safely
from boxproof.surface.examples import draw
from boxproof.surface.items import CaseItem, check_known, item_name
from boxproof.surface.knownbugs import check_known_bugs
from boxproof.surface.options import OPTIONS
from boxproof.surface.statistics import CLASSES
from boxproof.surface.telling import Outcome, Telling, verdict_on
from boxproof.surface.verdicts import Judged, raise_for

SLOW: Final = 0.1
"""Seconds for a launch from which a helper gets a fifth of the examples."""
_SLOWER: Final = 5
_FAILED: Final = frozenset({Verdict.FAIL, Verdict.FLAKY})


class GeneratedItem(CaseItem):
    """All examples of one requirement and intent under one helper.

    Args:
        source: what draws them.
    """

    def __init__(self, *, source: GeneratedSource, **rest: Any) -> None:  # noqa: ANN401 - pytest's own keywords
        super().__init__(case=_stand_in(source), **rest)
        self.source = source

    def runtest(self) -> None:
        """Run the examples and raise what the verdict on all of them means to pytest."""
        options = self.config.stash[OPTIONS]
        examples = Examples(self.config.stash[ENGINE], self.subject, self.source, self.name)
        judged = examples.judge()
        self.outcome = {**judged.row, CLASSES: examples.classes()} if options.stats else judged.row
        raise_for(judged, options)


def collect_generated(collector: pytest.Collector, source: GeneratedSource) -> list[CaseItem]:
    """Return one item for each helper; none where no examples are wanted."""
    engine = collector.config.stash[ENGINE]
    if not engine.options.examples:
        return []
    case = check_known(_stand_in(source), engine.contract)
    return [
        GeneratedItem.from_parent(collector, name=item_name(case, subject, engine), source=source, subject=subject)
        for subject in engine.subjects_of(case)
    ]


@define
class Examples:
    """The examples of one source under one helper.

    Args:
        engine: what judges.
        subject: the helper.
        source: what draws them.
        name: the item's.
    """

    engine: Engine
    subject: Subject
    source: GeneratedSource
    name: str
    cases: Sequence[Case] = field(factory=tuple, init=False)
    outcome: Outcome = field(factory=Outcome, init=False)

    def judge(self) -> Judged:
        """Run all examples, then make each bug that they show small, and tell of all of them."""
        start = time.monotonic()
        run = safely(self._work, self.source.case((Topology(()), Policy(""))))
        telling = Telling(self.engine, self.subject, self.source, self.name, self.outcome)
        return telling.judged(run, time.monotonic() - start)

    def classes(self) -> dict[str, int]:
        """Count the examples by the classes of their topologies and policies."""
        return dict(Counter(name for case in self.cases for name in classes(case.topology, case.policy)))

    def _work(self) -> Run:
        options = self.engine.options
        self.cases = draw(self.source, options.examples, options.seed)
        runner = self.engine.runner(self.subject)
        known = check_known_bugs(self.engine.listing(self.subject), self.source, self.subject.place.name, runner)
        runs = self._run(runner)
        failed = [(case, run) for case, run in runs if run.judgement.verdict in _FAILED]
        self.outcome = evolve(self.outcome, runs=tuple(run for _, run in runs), known=known)
        found = find_bugs(runner, [*known.failing, *failed], known.patterns)
        self.outcome = evolve(self.outcome, found=found)
        return verdict_on(self.outcome)

    def _run(self, runner: Runs) -> Sequence[tuple[Case, Run]]:
        """Run the cases; a fifth of them where a launch is slow and nobody has asked for so many."""
        runs: list[tuple[Case, Run]] = []
        seconds: list[float] = []
        wanted = len(self.cases)
        for case in self.cases:
            if len(runs) >= wanted:
                break
            run = safely(lambda case=case: runner.run(case), case)  # type: ignore[misc]
            runs.append((case, run))
            seconds += [run.seen.launch.seconds] if run.seen else []
            if self.engine.options.fewer and len(seconds) == _SLOWER and min(seconds) > SLOW:
                wanted = max(_SLOWER, len(self.cases) // _SLOWER)
                fewer = f"a fifth of the examples, since a launch takes {min(seconds):.1f} s"
                self.outcome = evolve(self.outcome, fewer=fewer)
        return runs


def _stand_in(source: GeneratedSource) -> Case:
    """Return the case that stands for all examples: its id, level and title are theirs."""
    title = f"generated cases of the kind '{source.intent}'"
    return Case(source.id, source.requirement, title, Topology(()), Policy(""), level=source.level)
