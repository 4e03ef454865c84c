# SPDX-License-Identifier: MIT
"""A failing case to a small one that still fails, greedily, step by step until no step helps.

It ends in a local minimum: what only goes away together with something else stays. Hypothesis' own shrinking first,
where there are choices to shrink, and this after it give the smallest cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from attrs import define, evolve, field, frozen

from boxproof.errors import CaseError
from boxproof.model.case import Case
from boxproof.model.containment import check_contained
from boxproof.model.resolve import Tree
from boxproof.reducing import drop, plainer, shorter
from boxproof.reducing.search import Search, Step
from boxproof.reducing.weight import weight

Fails: TypeAlias = Callable[[Case], bool]
"""Whether a case fails as the given one did: the same requirement and the same kind."""

LIMIT: Final = 60
"""Cases that are asked about, unless told otherwise."""
STEPS: Final[tuple[Step, ...]] = (
    drop.strip,
    drop.unused,
    drop.rules,
    drop.entries,
    drop.probes,
    plainer.kinds,
    plainer.texts,
    plainer.spelled,
    shorter.folders,
    plainer.order,
    shorter.names,
)
"""In order of payoff: lines first, then what a line says."""
_SUFFIX: Final = " (reduced)"


@frozen
class Reduced:
    """What came of a reduction.

    Args:
        case: the smallest case found; id, requirement, level and sources are those of the given one.
        launches: how many cases were asked about.
        tried: how many different cases were thought of, those that are no case or no lighter included.
        complete: whether the search ended by itself; otherwise the limit cut it short.
    """

    case: Case
    launches: int
    tried: int
    complete: bool = True


def minimise(case: Case, fails: Fails, limit: int = LIMIT) -> Reduced:
    """Return the smallest case that is found to fail as `case` does.

    Args:
        case: a case that fails; this is not asked again.
        fails: whether a case fails in the same way. It is never asked twice about one case, nor about a case whose
            probes could leave the farm.
        limit: how often it is asked at most.
    """
    descent = _Descent(fails, limit, {case: True})
    smallest = descent.to_floor(case)
    if smallest != case and not case.title.endswith(_SUFFIX):
        smallest = evolve(smallest, title=f"{case.title}{_SUFFIX}")
    return Reduced(smallest, descent.launches, len(descent.known), complete=descent.launches < limit)


@define
class _Descent:
    """A reduction under way: `known` says of every case that was thought of whether it was found to fail."""

    fails: Fails
    limit: int
    known: dict[Case, bool]
    launches: int = field(default=0, init=False)

    def to_floor(self, case: Case) -> Case:
        before = None
        while case != before:
            before = case
            for step in STEPS:
                case = self._along(step(case), case)
        return case

    def _along(self, search: Search, case: Case) -> Case:
        kept = False
        proposal = next(search, None)
        try:
            while self.launches < self.limit:
                kept = proposal is not None and self._keeps(proposal, case)
                case = proposal if kept and proposal is not None else case
                proposal = search.send(kept)
        except StopIteration:
            return case
        search.close()
        return case

    def _keeps(self, candidate: Case, case: Case) -> bool:
        if candidate not in self.known:
            self.known[candidate] = self._asks(candidate, case)
        return self.known[candidate] and weight(candidate) < weight(case)

    def _asks(self, candidate: Case, case: Case) -> bool:
        if not (_valid(candidate) and weight(candidate) < weight(case)):
            return False
        self.launches += 1
        return self.fails(candidate)


def _valid(case: Case) -> bool:
    try:
        check_contained(case, Tree(case.topology).farm)
    except CaseError:
        return False
    return True
