# SPDX-License-Identifier: MIT
"""One pass over a case about processes: the control, helpers that are interrupted, ordinary runs, runs at one time."""

from __future__ import annotations

import random
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from attrs import define, evolve, field, frozen

from boxproof.commanding import Commander
from boxproof.grounds.ground import Site
from boxproof.grounds.listeners import Listeners, listening
from boxproof.grounds.shared import mounts_of, shared_by
from boxproof.grounds.steps import counted_calls, moments, strike_at
from boxproof.judge import Evidence, judge
from boxproof.judge.leftovers import Interrupted, judge_growth, judge_interrupted, judge_outlived, judge_watched
from boxproof.judge.process import judge_command
from boxproof.model.case import Case
from boxproof.model.outcome import Finding, Judgement, Verdict
from boxproof.model.process import CONTACTS, Process
from boxproof.observation import Observation
from boxproof.snapshot import Snapshot
from boxproof.starting import Start, Starter

_PAYLOAD: Final = 1 << 20
_GRACE_AFTER_KILL: Final = 1.0
_UNWATCHED: Final = "the calls of what is started cannot be counted here"
_BEYOND: Final = 1.25
"""How far beyond a start's usual length its moments reach, so that some come when the command runs."""


@frozen
class Work:
    """A case on a site.

    Args:
        build: makes the farm anew.
        evidence: puts a control and a launch side by side.
    """

    starter: Starter
    case: Case
    site: Site
    build: Callable[[], None]
    evidence: Callable[[Observation, Observation], Evidence]


@frozen
class _Look:
    """What is there besides files."""

    shared: frozenset[str]
    mounts: frozenset[str]


def judged_process(work: Work) -> tuple[Judgement, Observation]:
    """Return the verdict on a case about processes, and the launch that it is about."""
    process = work.case.process
    assert process is not None  # noqa: S101 - the caller has looked
    # the same bytes again whenever the case is run
    payload = random.Random(work.case.name).randbytes(_PAYLOAD) if process.echoes else b""  # noqa: S311
    with ExitStack() as exits:
        listeners = exits.enter_context(listening()) if CONTACTS & set(process.asks) else None
        return _Pass(work, process, Commander(work.case, work.site, listeners, payload)).judged()


@define
class _Pass:
    work: Work
    process: Process
    commander: Commander
    _control: Observation = field(init=False)

    def judged(self) -> tuple[Judgement, Observation]:
        self.work.build()
        start = self.commander.start(evolve(self.process, command=""))
        self._control = self._counted(self.work.starter.control(self.work.case, self.work.site, start))
        self.work.build()
        if self.process.parallel > 1:
            observations = self.work.starter.together(self.work.case, self.work.site, self.process.parallel)
            return _first_failing([(judge(_apart(self._evidence(seen))), seen) for seen in observations])
        if self.process.command:
            seen = self._launch(self.commander.unusable(self.process))
            return judge_command(self._evidence(seen)), seen
        return self._interrupted() if self.process.signal else self._in_a_row()

    @property
    def _killed(self) -> bool:
        return self.process.signal == "KILL"

    @property
    def _listeners(self) -> Listeners | None:
        return self.commander.listeners

    def _launch(self, start: Start) -> Observation:
        return self._counted(self.work.starter.launch(self.work.case, self.work.site, start))

    def _counted(self, seen: Observation) -> Observation:
        return evolve(seen, arrived=self._listeners.arrived()) if self._listeners else seen

    def _evidence(self, seen: Observation) -> Evidence:
        return evolve(self.work.evidence(self._control, seen), payload=self.commander.payload)

    def _look(self) -> _Look:
        ground = self.work.starter.ground
        mounts = mounts_of(self.work.site.launcher.root.parent) | mounts_of(Path("/proc/self"), str(ground.base))
        return _Look(shared_by(ground.user.uid), mounts)

    def _in_a_row(self) -> tuple[Judgement, Observation]:
        """Run it some times, each on what the runs before left."""
        looks, outcomes = [self._look()], []
        for _ in range(self.process.runs):
            watched: list[Snapshot] = []
            seen = self._launch(self.commander.start(self.process, watched.append))
            looks.append(self._look())
            evidence = self._evidence(seen)
            findings = [finding for during in watched for finding in judge_watched(evidence, during)]
            findings += judge_outlived(evidence, looks[-2].mounts, looks[-1].mounts)
            outcomes.append((_with(judge(evidence), findings), seen))
        judgement, shown = _first_failing(outcomes)
        runs = [seen for _, seen in outcomes]
        return _with(judgement, judge_growth(self._evidence(shown), runs, [look.shared for look in looks])), shown

    def _interrupted(self) -> tuple[Judgement, Observation]:
        """Run it once to its end, then interrupt it, then run it to its end again."""
        first = self._launch(self._counting())
        judgement = judge(self._evidence(first))
        if self.process.moment == "calling" and not first.launch.calls:
            return Judgement(Verdict.NOT_APPLICABLE, reason=f"{_UNWATCHED}: {first.launch.exec_error}"), first
        if judgement.verdict is not Verdict.PASS or judgement.launch != "ran":
            return judgement, first
        before = self._look()
        interrupted = list(self._calls(first) if self.process.moment == "calling" else self._moments(first))
        findings = judge_interrupted([(self._evidence(one.seen), one) for one in interrupted], self.process)
        findings += judge_outlived(self._evidence(first), before.mounts, self._look().mounts)
        outcomes = list(self._afterwards(interrupted[0].seen))
        after, shown = _first_failing(outcomes) if outcomes else (judgement, first)
        return _with(after, findings), interrupted[0].seen if findings else shown

    def _afterwards(self, killed: Observation) -> Iterator[tuple[Judgement, Observation]]:
        """Iterate over the runs after the interrupted ones; the first may still tidy up for those that were killed."""
        for number in range(self.process.runs):
            seen = self._launch(self.commander.start(self.process))
            since = evolve(seen, before=killed.before) if self._killed and not number else seen
            yield self._business(judge(self._evidence(since))), since

    def _business(self, judgement: Judgement) -> Judgement:
        """Return a judgement without what is not asked here: files that a killed helper left are HOST-2's."""
        if self.work.case.requirement == "HOST-2" or not self._killed:
            return judgement
        findings = tuple(finding for finding in judgement.findings if finding.kind != "host-change")
        cleared = judgement.verdict is Verdict.FAIL and not findings
        return evolve(judgement, verdict=Verdict.PASS if cleared else judgement.verdict, findings=findings)

    def _counting(self) -> Start:
        """Return a start whose calls are counted, where they are what the moments are."""
        start = self.commander.start(self.process)
        if self.process.moment != "calling":
            return start
        return evolve(start, condition=counted_calls())

    def _calls(self, first: Observation) -> Iterator[Interrupted]:
        """Iterate over the helpers that are interrupted at one of their calls."""
        number = signal.Signals[f"SIG{self.process.signal}"].value
        for call, which in moments(first.launch.calls, self.process.times):
            start = self.commander.start(self.process)
            waits = evolve(start.attendance, cue="", grace=_GRACE_AFTER_KILL if self._killed else None)
            struck = evolve(start, attendance=waits, condition=strike_at(call, which, number))
            yield Interrupted(self._launch(struck), call=f"{call} {which}")

    def _moments(self, first: Observation) -> Iterator[Interrupted]:
        """Iterate over the helpers that are interrupted after some time.

        Their moments are spread over the whole start as it was measured, one at random in each part of it.
        """
        number = signal.Signals[f"SIG{self.process.signal}"].value
        cued = first.launch.cued or first.launch.seconds
        seeded = random.Random(self.work.case.name)  # noqa: S311 - no secret
        for step in range(self.process.times):
            start = self.commander.start(self.process)
            waits = evolve(start.attendance, grace=_GRACE_AFTER_KILL if self._killed else None)
            at = 0.0
            if self.process.moment == "starting":
                at = (step + seeded.random()) / self.process.times * cued * _BEYOND
                # a command need not end at SIGINT, so that one is let end by itself
                waits = evolve(waits, cue="", hold=self.process.signal != "INT")
            elif self.process.moment == "running":
                waits = evolve(waits, keep=True)
            else:
                at = seeded.random() * max(first.launch.seconds - cued, 0.0)
            yield Interrupted(self._launch(evolve(start, attendance=evolve(waits, signals=((at, number),)))), at)


def _apart(evidence: Evidence) -> Evidence:
    """Return evidence of one of several launches at one time, each of which had a folder of its own for its files."""
    return evolve(evidence, declared=tuple(re.sub("^files/", "files/*/", pattern) for pattern in evidence.declared))


def _first_failing(outcomes: Sequence[tuple[Judgement, Observation]]) -> tuple[Judgement, Observation]:
    return next((one for one in outcomes if one[0].verdict is not Verdict.PASS), outcomes[0])


def _with(judgement: Judgement, findings: Sequence[Finding]) -> Judgement:
    """Return a judgement with more findings; trouble of the suite's own stays what it is."""
    if not findings or judgement.verdict not in {Verdict.PASS, Verdict.FAIL}:
        return judgement
    return evolve(judgement, verdict=Verdict.FAIL, findings=(*judgement.findings, *findings))
