# SPDX-License-Identifier: MIT
"""One pass over a case about processes: the control, helpers that are interrupted, ordinary runs, runs at one time."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Final

from attrs import define, evolve, field, frozen

from boxproof.grounds.given import Attendance, Given
from boxproof.grounds.ground import Site
from boxproof.grounds.listeners import Listeners, listening
from boxproof.grounds.shared import mounts, shared
from boxproof.judge import Evidence, judge
from boxproof.judge.leftovers import Interrupted, judge_growth, judge_interrupted, judge_outlived, judge_watched
from boxproof.judge.process import judge_command
from boxproof.model.case import Case
from boxproof.model.outcome import Finding, Judgement, Verdict
from boxproof.model.process import CONTACTS, Asked, Process
from boxproof.observation import Observation
from boxproof.snapshot import Snapshot
from boxproof.starting import Start, Starter

MIB: Final = 1 << 20
_BOUND: Final = 2 * MIB
_GRACE_AFTER_KILL: Final = 1.0
_BEYOND: Final = 1.25
"""How far beyond a start's usual length its moments reach, so that some come when the command runs."""
_STEPS: Final[Mapping[Asked, str]] = {
    "capabilities": "status",
    "no-new-privs": "status",
    "signals": "status",
    "processes": "processes",
    "descriptors": "descriptors",
    "streams": "streams",
    "umask": "umask",
    "limits": "limits",
    "cwd": "cwd",
}


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


def judged_process(work: Work) -> tuple[Judgement, Observation]:
    """Return the verdict on a case about processes, and the launch that it is about."""
    assert work.case.process is not None  # noqa: S101 - the caller has looked
    with ExitStack() as exits:
        listeners = exits.enter_context(listening()) if CONTACTS & set(work.case.process.asks) else None
        return _Processing(work, work.case.process, listeners).judged()


@frozen
class _Look:
    """What is there besides files."""

    shared: frozenset[str]
    mounts: frozenset[str]


@define
class _Processing:
    work: Work
    process: Process
    listeners: Listeners | None
    _payload: bytes = field(init=False)
    _control: Observation = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._payload = random.Random(self.work.case.name).randbytes(MIB) if self.process.echoes else b""  # noqa: S311

    def judged(self) -> tuple[Judgement, Observation]:
        self.work.build()
        plain = evolve(self.process, command="")
        self._control = self._counted(
            lambda: self.work.starter.control(self.work.case, self.work.site, self._start(plain))
        )
        self.work.build()
        if self.process.parallel > 1:
            return self._together()
        if self.process.command:
            seen = self.work.starter.launch(self.work.case, self.work.site, self._start(self.process))
            return judge_command(self._evidence(seen)), seen
        if self.process.signal:
            return self._interrupted()
        return self._in_a_row()

    def _evidence(self, seen: Observation) -> Evidence:
        return evolve(self.work.evidence(self._control, seen), payload=self._payload)

    def _together(self) -> tuple[Judgement, Observation]:
        observations = self.work.starter.together(self.work.case, self.work.site, self.process.parallel)
        return self._first_failing([(judge(self._evidence(seen)), seen) for seen in observations])

    def _in_a_row(self) -> tuple[Judgement, Observation]:
        """Run it some times, on what the runs before left."""
        looks, seen = [self._look()], []
        outcomes = []
        for _ in range(self.process.runs):
            watched: list[Snapshot] = []
            start = self._start(self.process, watch=watched.append)
            one = self._counted(lambda start=start: self.work.starter.launch(self.work.case, self.work.site, start))
            looks.append(self._look())
            seen.append(one)
            evidence = self._evidence(one)
            findings = [
                *(judge_watched(evidence, watched[0]) if watched else ()),
                *judge_outlived(evidence, looks[-2].mounts, looks[-1].mounts),
            ]
            outcomes.append((_with(judge(evidence), findings), one))
        judgement, shown = self._first_failing(outcomes)
        growth = judge_growth(self._evidence(shown), seen, [look.shared for look in looks])
        return _with(judgement, growth), shown

    def _interrupted(self) -> tuple[Judgement, Observation]:
        """Run it once to its end, then interrupt it, then run it to its end again."""
        first = self.work.starter.launch(self.work.case, self.work.site, self._start(self.process))
        judgement = judge(self._evidence(first))
        if judgement.verdict is not Verdict.PASS:
            return judgement, first
        before = self._look()
        interrupted = [self._interrupt(start, at) for start, at in self._moments(first)]
        after = self._look()
        findings = judge_interrupted([(self._evidence(one.seen), one) for one in interrupted], self.process)
        findings += judge_outlived(self._evidence(first), before.mounts, after.mounts)
        shown = interrupted[0].seen
        start = self._start(self.process)
        outcomes = []
        for number in range(self.process.runs):
            one = self.work.starter.launch(self.work.case, self.work.site, start)
            since = evolve(one, before=interrupted[0].seen.before) if number == 0 and self._killed else one
            outcomes.append((judge(self._evidence(since)), since))
        after_all = self._first_failing(outcomes) if outcomes else (judgement, first)
        failed = after_all[0].verdict is not Verdict.PASS
        return _with(after_all[0], findings), after_all[1] if failed and not findings else shown

    @property
    def _killed(self) -> bool:
        return self.process.signal == "KILL"

    def _interrupt(self, start: Start, at: float) -> Interrupted:
        return Interrupted(self.work.starter.launch(self.work.case, self.work.site, start), at)

    def _moments(self, first: Observation) -> Iterator[tuple[Start, float]]:
        """Iterate over the helpers that are interrupted, and the seconds after which each is."""
        number = signal.Signals[f"SIG{self.process.signal}"].value
        cued = first.launch.cued or first.launch.seconds
        seeded = random.Random(self.work.case.name)  # noqa: S311 - no secret
        for step in range(self.process.times):
            start = self._start(self.process)
            waits = evolve(start.attendance, grace=_GRACE_AFTER_KILL if self._killed else None)
            at = 0.0
            if self.process.moment == "starting":
                at = (step + seeded.random()) / self.process.times * cued * _BEYOND
                waits = evolve(waits, cue="")
            elif self.process.moment == "running":
                waits = evolve(waits, keep=True)
            else:
                at = seeded.random() * max(first.launch.seconds - cued, 0.0)
            yield evolve(start, attendance=evolve(waits, signals=((at, number),))), at

    def _start(
        self, process: Process, *, watch: Callable[[Snapshot], None] | None = None
    ) -> Start:
        """Return how a command is started that does what `process` says; it waits where something happens meanwhile."""
        if process.command:
            path = f"{self.work.case.policy.at(self.work.site.farm.path).cwd}/{process.command}"
            return Start(instead=(path,))
        start = Start(
            arguments=process.args,
            also=tuple((kind, self.listeners.address(kind)) for kind in sorted(CONTACTS & set(process.asks)))
            if self.listeners
            else (),
            given=Given(process.closed, process.ignored, process.blocked, process.umask, process.limits),
            passes=process.passes,
            env=dict(text.split("=", 1) for text in process.env),
            stdin=self._payload if process.echoes else None,
            bound=_BOUND if process.echoes else MIB,
        )
        waits = bool(process.signal) or process.watched
        during = (lambda: watch(self.work.site.farm.snapshot())) if watch and waits else (lambda: None)
        attendance = Attendance(hold=True, cue=f"{start.facts} waiting\n", during=during) if waits else start.attendance
        return evolve(start, steps=tuple(_steps(process, waits=waits)), attendance=attendance)

    def _counted(self, launch: Callable[[], Observation]) -> Observation:
        seen = launch()
        return evolve(seen, arrived=self.listeners.arrived()) if self.listeners else seen

    def _look(self) -> _Look:
        uid = self.work.starter.ground.user.uid
        base = str(self.work.starter.ground.base)
        return _Look(shared(uid), mounts(self.work.site.launcher.pid) | mounts(os.getpid(), base))

    @staticmethod
    def _first_failing(outcomes: Sequence[tuple[Judgement, Observation]]) -> tuple[Judgement, Observation]:
        return next((one for one in outcomes if one[0].verdict is not Verdict.PASS), outcomes[0])


def _steps(process: Process, *, waits: bool) -> Iterator[str]:
    yield from dict.fromkeys(_STEPS[word] for word in process.asks if word in _STEPS)
    if process.env:
        yield "environment=" + ",".join(text.partition("=")[0] for text in process.env)
    if 1 in process.closed:
        yield "on-stderr"
    if process.stubborn:
        yield "stubborn"
    yield "probe"
    if waits:
        yield "wait"
    if process.echoes:
        yield f"copy={process.echoes}"
    yield f"die={process.dies}" if process.dies else f"exit={process.status}"


def _with(judgement: Judgement, findings: Sequence[Finding]) -> Judgement:
    """Return a judgement with more findings; trouble of the suite's own stays what it is."""
    if not findings or judgement.verdict not in {Verdict.PASS, Verdict.FAIL}:
        return judgement
    return evolve(judgement, verdict=Verdict.FAIL, findings=(*judgement.findings, *findings))
