# SPDX-License-Identifier: MIT
"""A reduction with a real helper: is the failure real, what is the smallest case, does that one fail as surely."""

from __future__ import annotations

import time
from typing import Protocol

from attrs import define, field, frozen

from boxproof.errors import BoxproofError, CaseError
from boxproof.grounds.launch import LauncherLost
from boxproof.model.case import Case
from boxproof.model.outcome import KINDS, Verdict
from boxproof.reducing.believe import Belief, Fault, believe, faults, still
from boxproof.reducing.minimise import LIMIT, Reduced, minimise
from boxproof.runner import Run

_FAILED = frozenset({Verdict.FAIL, Verdict.FLAKY})


class NothingToReduceError(BoxproofError):
    """A case does not fail, so no smaller one can be looked for.

    Causes: the helper is fixed, or is not the one of the report; the case is not applicable to it; flaky helpers.
    Next step: replay the case, with ``--repeat`` if the failure comes and goes.
    """


class Runs(Protocol):
    """Runs cases: `boxproof.runner.Runner`, or a stand-in for it."""

    def run(self, case: Case, repeat: int = 1) -> Run:
        """Judge a case."""


@frozen
class Reduction:
    """A case made small, and how sure it is.

    Args:
        given: the case as it was handed over.
        reduced: the smallest one and what it took to find.
        fault: what is wrong with both.
        before: how often the given case failed.
        after: how often the smallest one did.
        launches: how many times the helper was started for all of it.
        seconds: wall time.
    """

    given: Case
    reduced: Reduced
    fault: Fault
    before: Belief
    after: Belief
    launches: int
    seconds: float

    @property
    def case(self) -> Case:
        """The smallest case."""
        return self.reduced.case


@define
class Attempts:
    """Single launches of cases under one helper; a case that cannot be run shows no fault.

    Args:
        runner: what runs them.
    """

    runner: Runs
    launches: int = field(default=0, init=False)

    def __call__(self, case: Case) -> frozenset[Fault]:
        """Return what was wrong in one launch."""
        try:
            run = self.runner.run(case)
        except (CaseError, LauncherLost):
            return frozenset()
        self.launches += run.launches
        return faults(run.judgement.findings) if run.judgement.verdict in _FAILED else frozenset()


def reduce_case(runner: Runs, case: Case, *, fault: Fault | None = None, limit: int = LIMIT) -> Reduction:
    """Find the smallest case that fails as `case` does under the runner's helper.

    Args:
        runner: what runs cases.
        case: the failing case.
        fault: what it is to keep showing; by default what it shows most often.
        limit: how many smaller cases are tried at most; a flaky helper is started several times for each.

    Raises:
        NothingToReduceError: where the case does not fail, with why.
        BoxproofError: where the suite cannot do its work on this host.
    """
    start = time.monotonic()
    attempts = Attempts(runner)
    before = believe(case, attempts)
    kept = fault or _main(before, case)
    if kept is None or not before.counts.get(kept):
        raise _nothing(runner, case, kept, before)
    reduced = minimise(case, still(attempts, kept, before.needed(kept)), limit)
    after = believe(reduced.case, attempts) if reduced.case != case else before
    return Reduction(case, reduced, kept, before, after, attempts.launches, time.monotonic() - start)


def _nothing(runner: Runs, case: Case, fault: Fault | None, belief: Belief) -> NothingToReduceError:
    """Return why there is nothing to reduce; a case that cannot be run at all says so itself."""
    judgement = runner.run(case).judgement
    if judgement.verdict in {Verdict.NOT_APPLICABLE, Verdict.ERROR}:
        return NothingToReduceError(f"{case.name} cannot be judged", cause=judgement.reason)
    shown = f"shows no {fault.kind} [{fault.requirement}]" if fault else "does not fail"
    return NothingToReduceError(f"{case.name} {shown}", cause=f"it was judged {belief.runs} times")


def _main(belief: Belief, case: Case) -> Fault | None:
    """Return the fault seen most often; of several the case's own requirement's, and of these the gravest."""

    def gravity(fault: Fault) -> tuple[int, bool, int, str]:
        own = fault.requirement == case.requirement
        return belief.counts[fault], own, -KINDS.index(fault.kind), fault.requirement

    return max(belief.counts, key=gravity, default=None)
