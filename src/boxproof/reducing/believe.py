# SPDX-License-Identifier: MIT
"""How far a failure can be believed: some released helpers are coin flips."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from attrs import frozen

from boxproof.model.case import Case
from boxproof.model.outcome import SECURITY, Finding, Kind, Verdict
from boxproof.reducing.minimise import Fails

FIRST: Final = 5
"""Repeats of a failing case."""
MORE: Final = 15
"""Further repeats where the first ones differ."""
DOUBT: Final = 0.01
"""The chance that a case that still fails is taken for one that does not."""
RUNS_MAX: Final = 30
"""Runs of one case at most: a helper that fails more rarely cannot be reduced in bearable time."""


@frozen
class Fault:
    """What is wrong, as bugs are told apart."""

    requirement: str
    kind: Kind


Attempt: TypeAlias = Callable[[Case], frozenset[Fault]]
"""One launch of a case: everything that was wrong with it, and nothing where it passed."""


@frozen
class Belief:
    """How often a case failed, and how.

    Args:
        runs: how often it was launched.
        counts: in how many of these each fault was seen.
    """

    runs: int
    counts: Mapping[Fault, int]

    def verdict(self, fault: Fault) -> Verdict:
        """Return the verdict on one fault; a leak or an escape that comes now and then is one all the same."""
        seen = self.counts.get(fault, 0)
        if not seen:
            return Verdict.PASS
        return Verdict.FAIL if seen == self.runs or fault.kind in SECURITY else Verdict.FLAKY

    def words(self, fault: Fault) -> str:
        """Return the counts for a report, such as ``failed 9 of 20``."""
        return f"failed {self.counts.get(fault, 0)} of {self.runs}"

    def needed(self, fault: Fault) -> int:
        """Return how many runs tell whether a case still fails.

        With a chance p of failing in one run, all of k runs pass with (1 - p)^k, which is to be 0.01 at most.
        """
        chance = self.counts.get(fault, 0) / self.runs
        if chance in {0.0, 1.0}:
            return 1
        return min(RUNS_MAX, math.ceil(math.log(DOUBT) / math.log(1 - chance)))


def faults(findings: tuple[Finding, ...]) -> frozenset[Fault]:
    """Return the faults that findings are about."""
    return frozenset(Fault(finding.requirement, finding.kind) for finding in findings)


def believe(case: Case, attempt: Attempt) -> Belief:
    """Launch a case five times, and fifteen times more where these differ."""
    runs = [attempt(case) for _ in range(FIRST)]
    if len(set(runs)) > 1:
        runs += [attempt(case) for _ in range(MORE)]
    return Belief(len(runs), Counter(fault for seen in runs for fault in seen))


def still(attempt: Attempt, fault: Fault, runs: int) -> Fails:
    """Return a predicate: any of `runs` launches of a case shows the fault."""
    return lambda case: any(fault in attempt(case) for _ in range(runs))
