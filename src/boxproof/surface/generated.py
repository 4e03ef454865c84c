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
from boxproof.model.outcome import Judgement, Verdict
from boxproof.model.policy import Policy
from boxproof.model.result import Result
from boxproof.model.suite import GeneratedSource
from boxproof.model.topology import Topology
from boxproof.report.json import dict_of_result
from boxproof.runner import Run
from boxproof.surface.bugs import Bug, Runs, find_bugs
from boxproof.surface.classes import classes
from boxproof.surface.engine import ENGINE, Engine, Subject, safely
from boxproof.surface.examples import draw
from boxproof.surface.items import CaseItem, check_known, item_name
from boxproof.surface.options import OPTIONS
from boxproof.surface.related import Related
from boxproof.surface.statistics import CLASSES
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
    launches: int = field(default=0, init=False)
    fewer: str = field(default="", init=False)

    def judge(self) -> Judged:
        """Run all examples, then make each bug that they show small, and tell of all of them."""
        start = time.monotonic()
        runs: list[tuple[Case, Run]] = []
        bugs: Sequence[Bug] = ()

        def work() -> Run:
            nonlocal bugs
            options = self.engine.options
            self.cases = draw(self.source, options.examples, options.seed)
            runner = self._runner()
            runs.extend(self._run(runner))
            bugs = find_bugs(runner, [(case, run) for case, run in runs if run.judgement.verdict in _FAILED])
            return _verdict([run for _, run in runs], bugs)

        run = safely(work, self.source.case((Topology(()), Policy(""))))
        return self._told(run, [run for _, run in runs], bugs, time.monotonic() - start)

    def classes(self) -> dict[str, int]:
        """Count the examples by the classes of their topologies and policies."""
        return dict(Counter(name for case in self.cases for name in classes(case.topology, case.policy)))

    def _runner(self) -> Runs:
        runner = self.engine.runner(self.subject)
        return Related(runner, self.source.change) if self.source.change else runner

    def _run(self, runner: Runs) -> Sequence[tuple[Case, Run]]:
        """Run the cases, a fifth of them where a launch is slow."""
        runs: list[tuple[Case, Run]] = []
        seconds: list[float] = []
        wanted = len(self.cases)
        for case in self.cases:
            if len(runs) >= wanted:
                break
            run = safely(lambda case=case: runner.run(case), case)  # type: ignore[misc]
            runs.append((case, run))
            seconds += [run.seen.launch.seconds] if run.seen else []
            if len(seconds) == _SLOWER and min(seconds) > SLOW:
                wanted = max(_SLOWER, len(self.cases) // _SLOWER)
                self.fewer = f"a fifth of the examples, since a launch takes {min(seconds):.1f} s"
        return runs

    def _told(self, run: Run, runs: Sequence[Run], bugs: Sequence[Bug], seconds: float) -> Judged:
        """Return one result for all, its case file and replay line those of the first bug."""
        each = [self.engine.judged(bug.run, self.subject, self.name) for bug in bugs]
        first = each[0].result if each else None
        result = Result(
            id=self.name,
            case=self.source.id,
            requirement=self.source.requirement,
            level=self.source.level,
            helper=self.subject.helper.name,
            ground=self.subject.place.name,
            evidence=self.subject.place.evidence,
            condition="",
            verdict=run.judgement.verdict,
            findings=tuple(finding for one in each for finding in one.result.findings),
            reason="; ".join(filter(None, [run.judgement.reason, _counts(runs, bugs), self.fewer])),
            launch=run.judgement.launch,
            launches=sum(one.launches for one in runs) + sum(bug.launches for bug in bugs),
            seconds=round(seconds, 4),
            case_file=first.case_file if first else None,
            replay=first.replay if first else "",
        )
        text = _text(result, bugs, each)
        return Judged(result, {**dict_of_result(result), "text": text}, text)


def _stand_in(source: GeneratedSource) -> Case:
    """Return the case that stands for all examples: its id, level and title are theirs."""
    title = f"generated cases of the kind '{source.intent}'"
    return Case(source.id, source.requirement, title, Topology(()), Policy(""), level=source.level)


def _verdict(runs: Sequence[Run], bugs: Sequence[Bug]) -> Run:
    """Return the verdict on all examples: the highest of what was learnt, `not-applicable` where nothing was."""
    empty = Run(runs[0].case, Judgement(Verdict.NOT_APPLICABLE))
    verdicts = [run.judgement.verdict for run in runs if run.judgement.verdict not in _FAILED]
    verdicts += [bug.run.judgement.verdict for bug in bugs]
    verdict = max(verdicts, key=lambda each: each.rank)
    reasons = [run.judgement.reason for run in runs if run.judgement.verdict is verdict]
    told = verdict in {Verdict.ERROR, Verdict.NOT_APPLICABLE}
    endings = {run.judgement.launch for run in runs} - {""}
    launch = "ran" if "ran" in endings else next(iter(sorted(endings)), "")
    return evolve(empty, judgement=Judgement(verdict, reason=reasons[0] if told and reasons else "", launch=launch))


def _counts(runs: Sequence[Run], bugs: Sequence[Bug]) -> str:
    verdicts = Counter(run.judgement.verdict for run in runs)
    refused = sum(run.judgement.launch == "refused" and run.judgement.verdict is Verdict.PASS for run in runs)
    words = [f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict]]
    words += [f"{refused} by an allowed refusal"] if refused else []
    words += [f"{len(bugs)} distinct {'bug' if len(bugs) == 1 else 'bugs'}"] if bugs else []
    return f"{len(runs)} examples: {', '.join(words)}"


def _text(result: Result, bugs: Sequence[Bug], each: Sequence[Judged]) -> str:
    """Return the words for all bugs, one after the other, each as a failure of its own."""
    head = f"{len(bugs)} distinct {'bug' if len(bugs) == 1 else 'bugs'} of {result.id}; {result.reason}"
    parts = [
        f"--- {number} of {len(bugs)}: {bug.words}\n{one.text}"
        for number, (bug, one) in enumerate(zip(bugs, each, strict=True), start=1)
    ]
    return "\n".join([head, *parts]) if bugs else ""
