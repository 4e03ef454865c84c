# SPDX-License-Identifier: MIT
"""From failing examples to distinct bugs, told apart by requirement, kind and the form of the smallest case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from attrs import define, evolve, field, frozen

from boxproof.model.canonical import bug_form
from boxproof.model.case import Case
from boxproof.model.outcome import SECURITY, Judgement, Kind, Verdict
from boxproof.reducing.believe import FIRST, Belief, Fault, faults
from boxproof.reducing.explain import Explainer, Pattern
from boxproof.reducing.session import Attempts, NothingToReduceError, Reduction, Runs, reduce_case
from boxproof.runner import Run

__all__ = ["Bug", "Found", "KnownBug", "Runs", "find_bugs"]

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
        case: the smallest that shows it.
        run: of that case.
        number: how many examples showed a fault of this requirement and kind.
        launches: how many times the helper was started to find it.
        counts: how often the smallest case failed, such as ``failed 9 of 20``.
        runs: how many launches tell whether a case still shows it.
    """

    fault: Fault
    case: Case
    run: Run
    number: int
    launches: int
    counts: str
    runs: int = 1

    @property
    def words(self) -> str:
        """A line for people."""
        examples = "example shows" if self.number == 1 else "examples show"
        return f"{self.number} {examples} {self.fault.kind} [{self.fault.requirement}]; the smallest case {self.counts}"

    @property
    def pattern(self) -> Pattern:
        """What explains other cases."""
        return Pattern(self.case, self.runs)


@frozen
class KnownBug:
    """A bug that is known before: what explains cases, and the kinds of findings that it explains."""

    pattern: Pattern
    kinds: frozenset[Kind]


@frozen
class Found:
    """What failing examples come to.

    Args:
        bugs: those that are not known.
        explained: how many examples each known bug explains, in order.
        launches: how many times the helper was started for all of this.
    """

    bugs: tuple[Bug, ...] = ()
    explained: tuple[int, ...] = ()
    launches: int = 0


def find_bugs(runner: Runs, failed: Failed, known: Sequence[KnownBug] = ()) -> Found:
    """Make at most three failing cases of each requirement and kind small, and return what is left of them.

    What known bugs explain is only counted. Of a case that they explain in part, what their repairs leave is made
    small. A case of several kinds is one bug: the fault that it shows with another kind is told with it.
    """
    search = _Search(Attempts(runner), failed, known, [set() for _ in known])
    bugs = tuple(search.bugs())
    launches = search.attempts.launches + sum(bug.launches for bug in bugs)
    return Found(bugs, tuple(map(len, search.explained)), launches)


@define
class _Search:
    attempts: Attempts
    failed: Failed
    known: Sequence[KnownBug]
    explained: list[set[Case]]
    told: set[Case] = field(factory=set)

    def bugs(self) -> Iterator[Bug]:
        for fault in dict.fromkeys(fault for _, run in self.failed for fault in _sorted(run)):
            showing = [(case, run) for case, run in self.failed if fault in faults(run.judgement.findings)]
            showing.sort(key=lambda each: _size(each[0]))
            yield from (bug for bug in self._of(fault, showing) if not self._is_told(bug.case))

    def _of(self, fault: Fault, showing: Failed) -> Sequence[Bug]:
        """Return the bugs behind one fault, those that are told already included."""
        explainer = Explainer(self.attempts, fault)
        listed = [number for number, bug in enumerate(self.known) if fault.kind in bug.kinds]
        patterns = [self.known[number].pattern for number in listed]
        found: list[Bug] = []
        looked_at = 0
        for case, run in showing:
            if len(found) == CASES or looked_at == LOOKED_AT:
                break
            explained = explainer.explain(case, [*patterns, *(bug.pattern for bug in found)])
            if explained.rest is None and explained.by < len(patterns):
                self.explained[listed[explained.by]].add(case)
                continue
            bug = self._bug(explained.rest, case, run, fault, len(showing)) if explained.rest is not None else None
            again = explainer.explain(bug.case, patterns, 0).by if bug else -1
            if again >= 0:
                self.explained[listed[again]].add(case)
                continue
            looked_at += 1
            found += [bug] if bug else []
        return found

    def _bug(self, rest: Case, case: Case, run: Run, fault: Fault, number: int) -> Bug:
        runner = self.attempts.runner
        for each in dict.fromkeys((rest, case)):
            try:
                reduction = reduce_case(runner, each, fault=fault, limit=LIMIT)
            except NothingToReduceError:
                continue
            smallest = _again(runner, reduction, run)
            launches = reduction.launches + smallest.launches
            runs = reduction.after.needed(fault)
            return Bug(fault, reduction.case, smallest, number, launches, reduction.after.words(fault), runs)
        # once, and not again in five launches or more
        judgement = evolve(_judgement(run.judgement, fault), reason="flaky: failed once, and not when repeated")
        once = evolve(run, judgement=judgement)
        return Bug(fault, case, once, number, run.launches, "failed once, and not again", FIRST)

    def _is_told(self, case: Case) -> bool:
        form = bug_form(case)
        new = form not in self.told
        self.told.add(form)
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
