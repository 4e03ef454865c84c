# SPDX-License-Identifier: MIT
"""One pass over a case about a race: names change places while the helper starts, once for sure or often by chance."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Final

from attrs import evolve

from boxproof.grounds.given import Attendance
from boxproof.grounds.swapper import exchange, swapping
from boxproof.judge.launch import classify
from boxproof.judge.race import came_out, judge_race
from boxproof.model.case import Case
from boxproof.model.outcome import Finding, Judgement, Verdict
from boxproof.model.swap import Swap
from boxproof.observation import Observation
from boxproof.processing import Work
from boxproof.snapshot import Snapshot
from boxproof.starting import Start

_AT_REST: Final = "what is secret comes out although nothing changes places, so that this shows nothing about a race"
_UNSWAPPED: Final = "the bwrap on PATH was executed and the names did not change places"


def judged_swap(work: Work) -> tuple[Judgement, Observation]:
    """Return the verdict on a case about a race, and the launch that it is about."""
    swap = work.case.swap
    assert swap is not None  # noqa: S101 - the caller has looked
    control = _control(work, swap)
    if not came_out(work.evidence(control, control), swap):
        reason = "the swap has no control: without the helper the probes do not reach what was swapped in"
        return Judgement(Verdict.ERROR, reason=reason), control
    for swapped in _resting(work.case, swap):
        if seen := _at_rest(work, swap, control, swapped=swapped):
            return Judgement(Verdict.NOT_APPLICABLE, reason=_AT_REST), seen
    if swap.by == "engine":
        return _by_engine(work, swap, control)
    return _by_chance(work, swap, control)


def _resting(case: Case, swap: Swap) -> tuple[bool, ...]:
    """Return in which states the names are looked at while they rest: swapped or not."""
    if not any(rule.access == "deny" for rule in case.policy.rules):
        return ()
    return (False,) if swap.by == "engine" else (False, True)


def _at_rest(work: Work, swap: Swap, control: Observation, *, swapped: bool) -> Observation | None:
    """Return a launch in which the secret comes out although nothing changes places, none where it does not."""
    work.build()
    if swapped:
        exchange(*_names(work, swap))
    seen = work.starter.launch(evolve(work.case, swap=None), work.site)
    return seen if judge_race(work.evidence(control, seen), swap, "") else None


def _control(work: Work, swap: Swap) -> Observation:
    """Run the probes without the helper after the swap, or before it where what lay there before is secret too."""
    work.build()
    bare = evolve(work.case, swap=None)
    if len(swap.secret) == 1:
        exchange(*_names(work, swap))
    return work.starter.control(bare, work.site)


def _by_engine(work: Work, swap: Swap, control: Observation) -> tuple[Judgement, Observation]:
    work.build()
    seen = work.starter.launch(work.case, work.site)
    one, other = _names(work, swap)
    if seen.executions and _identity(seen.after, one) != _identity(seen.before, other):
        return Judgement(Verdict.ERROR, reason=_UNSWAPPED), seen
    if not seen.executions:
        return Judgement(Verdict.NOT_APPLICABLE, reason="refused before the engine was executed"), seen
    findings = judge_race(work.evidence(control, seen), swap, "")
    return _judgement(findings, classify(seen)), seen


def _by_chance(work: Work, swap: Swap, control: Observation) -> tuple[Judgement, Observation]:
    endings: Counter[str] = Counter()
    seen = control
    for number in range(swap.rounds):
        seed = f"{work.case.name} {work.starter.launches}"
        work.build()
        attendance = Attendance(around=partial(swapping, *_names(work, swap), seed))
        seen = work.starter.launch(work.case, work.site, Start(attendance=attendance))
        endings[classify(seen)] += 1
        how = f"round {number + 1} of {swap.rounds}, seed '{seed}'"
        if findings := judge_race(work.evidence(control, seen), swap, how):
            return _judgement(findings, classify(seen)), seen
    reason = ", ".join(f"{ending} in {count} of {swap.rounds} rounds" for ending, count in sorted(endings.items()))
    return evolve(_judgement([], endings.most_common(1)[0][0]), reason=reason), seen


def _judgement(findings: list[Finding], ending: str) -> Judgement:
    return Judgement(Verdict.FAIL if findings else Verdict.PASS, tuple(findings), launch=ending)


def _names(work: Work, swap: Swap) -> tuple[str, str]:
    farm = work.site.farm.path
    return f"{farm}/{swap.one}", f"{farm}/{swap.other}"


def _identity(snapshot: Snapshot, path: str) -> tuple[int, int] | None:
    return snapshot[path].identity if path in snapshot else None
