# SPDX-License-Identifier: MIT
"""From failing examples to distinct bugs, told apart by requirement, kind and the form of the smallest case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from attrs import define, evolve, field, frozen

from boxproof.model.canonical import canonical
from boxproof.model.case import Case
from boxproof.model.outcome import SECURITY, Judgement, Verdict
from boxproof.reducing.believe import Belief, Fault, faults, still
from boxproof.reducing.repair import explained_by
from boxproof.reducing.session import Attempts, NothingToReduceError, Reduction, Runs, reduce_case
from boxproof.runner import Run

__all__ = ["Bug", "Runs", "find_bugs"]

CASES: Final = 3
"""Failing cases of one requirement and kind that are made small; the rest is counted."""
LOOKED_AT: Final = 10
"""Failing cases of one requirement and kind that are looked at for another bug than those found."""
LIMIT: Final = 60
"""Smaller cases that are tried for each."""

Failed: TypeAlias = Sequence[tuple[Case, Run]]


@frozen
class Bug:
    """One bug by its smallest case.

    Args:
        fault: what is wrong.
        run: of the smallest case.
        number: how many examples showed a fault of this requirement and kind.
        launches: how many times the helper was started to find it.
        counts: how often the smallest case failed, such as ``failed 9 of 20``.
    """

    fault: Fault
    run: Run
    number: int
    launches: int
    counts: str

    @property
    def words(self) -> str:
        """A line for people."""
        examples = "example shows" if self.number == 1 else "examples show"
        return f"{self.number} {examples} {self.fault.kind} [{self.fault.requirement}]; the smallest case {self.counts}"


def find_bugs(runner: Runs, failed: Failed) -> tuple[Bug, ...]:
    """Make at most three failing cases of each requirement and kind small, and return what is left of them.

    A case of several kinds is one bug: the fault that it shows with another kind is told with it.
    """
    search = _Search(runner, failed)
    return tuple(search.bugs())


@define
class _Search:
    runner: Runs
    failed: Failed
    known: set[Case] = field(factory=set)

    def bugs(self) -> Iterator[Bug]:
        for fault in dict.fromkeys(fault for _, run in self.failed for fault in _sorted(run)):
            showing = [(case, run) for case, run in self.failed if fault in faults(run.judgement.findings)]
            showing.sort(key=lambda each: _size(each[0]))
            found: list[Bug] = []
            for case, run in showing[:LOOKED_AT]:
                if len(found) < CASES and not self._explained(case, found, fault):
                    found.append(self._bug(case, run, fault, len(showing)))
            yield from (bug for bug in found if not self._is_known(bug.run.case))

    def _explained(self, case: Case, found: Sequence[Bug], fault: Fault) -> bool:
        """Tell whether the case passes once what an earlier one needs is repaired in it; one launch for each."""
        fails = still(Attempts(self.runner), fault, 1)
        return any(explained_by(bug.run.case, case, fails) for bug in found)

    def _bug(self, case: Case, run: Run, fault: Fault, number: int) -> Bug:
        try:
            reduction = reduce_case(self.runner, case, fault=fault, limit=LIMIT)
        except NothingToReduceError:
            # once, and not again in five launches or more
            judgement = evolve(_judgement(run.judgement, fault), reason="flaky: failed once, and not when repeated")
            return Bug(fault, evolve(run, judgement=judgement), number, run.launches, "failed once, and not again")
        smallest = _again(self.runner, reduction, run)
        launches = reduction.launches + smallest.launches
        return Bug(fault, smallest, number, launches, reduction.after.words(fault))

    def _is_known(self, case: Case) -> bool:
        form = canonical(evolve(case, probes=()))
        new = form not in self.known
        self.known.add(form)
        return not new


def _again(runner: Runs, reduction: Reduction, before: Run) -> Run:
    """Run the smallest case until it fails once more; how often it fails is known by then."""
    fault, after = reduction.fault, reduction.after
    launches = 0
    for _ in range(after.needed(fault)):
        run = runner.run(reduction.case)
        launches += run.launches
        if fault in faults(run.judgement.findings):
            return evolve(run, judgement=_believed(run.judgement, fault, after), launches=launches)
    return evolve(before, judgement=_believed(before.judgement, fault, reduction.before), launches=launches)


def _believed(judgement: Judgement, fault: Fault, belief: Belief) -> Judgement:
    verdict = belief.verdict(fault)
    sure = belief.counts.get(fault, 0) == belief.runs
    return evolve(judgement, verdict=verdict, reason="" if sure else f"flaky: {belief.words(fault)} launches")


def _judgement(judgement: Judgement, fault: Fault) -> Judgement:
    return evolve(judgement, verdict=Verdict.FAIL if fault.kind in SECURITY else Verdict.FLAKY)


def _sorted(run: Run) -> list[Fault]:
    return sorted(faults(run.judgement.findings), key=lambda fault: (fault.requirement, fault.kind))


def _size(case: Case) -> int:
    return len(case.topology.entries) + len(case.policy.rules)
