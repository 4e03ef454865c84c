# SPDX-License-Identifier: MIT
"""What of a failing case the known bugs do not explain: their repairs are applied, and the case is launched again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import define, field, frozen

from boxproof.model.canonical import bug_form
from boxproof.model.case import Case
from boxproof.reducing.believe import Attempt, Fault
from boxproof.reducing.repair import beyond_repair, repairs

_DEPTH: Final = 3
"""Known bugs that one case is taken to show at once."""


@frozen
class Pattern:
    """A known bug.

    Args:
        case: the smallest that shows it.
        runs: how many launches must pass before a case counts as one without it; more than one for a flaky bug.
    """

    case: Case
    runs: int = 1


@frozen
class Explained:
    """What became of a failing case.

    Args:
        rest: what still fails once all that is known is repaired, or ``None`` where nothing does.
        by: the number of the known bug that was found first, -1 where none was.
    """

    rest: Case | None
    by: int = -1


@define
class Explainer:
    """Explains failing cases by known bugs; no case is launched twice for that.

    Args:
        attempt: one launch.
        fault: what is to be explained.
    """

    attempt: Attempt
    fault: Fault
    _seen: dict[tuple[Case, int], bool] = field(factory=dict, init=False)
    _repaired: dict[tuple[Case, Case], tuple[Case, ...] | None] = field(factory=dict, init=False)

    def explain(self, case: Case, known: Sequence[Pattern], depth: int = _DEPTH) -> Explained:
        """Return what known bugs leave of a case that shows the fault.

        A case is explained only if each of its repairs passes, or shows nothing but other known bugs.
        """
        left = Explained(case)
        for number, pattern in enumerate(known):
            repaired = self._repairs(pattern.case, case)
            if repaired is None:
                return Explained(None, number)
            if not repaired or not depth:
                continue
            others = (*known[:number], *known[number + 1 :])
            rests = [self.explain(each, others, depth - 1).rest for each in repaired if self._fails(each, pattern)]
            remaining = [rest for rest in rests if rest is not None]
            if not remaining:
                return Explained(None, number)
            left = Explained(remaining[0], number) if remaining and left.by < 0 else left
        return left

    def _repairs(self, known: Case, case: Case) -> tuple[Case, ...] | None:
        """Return the case repaired, ``None`` where it is the known one or shows its fault whatever the policy says."""
        key = (known, case)
        if key not in self._repaired:
            is_known = _same(known, case) or beyond_repair(known, case)
            self._repaired[key] = None if is_known else repairs(known, case)
        return self._repaired[key]

    def _fails(self, case: Case, pattern: Pattern) -> bool:
        key = (case, pattern.runs)
        if key not in self._seen:
            self._seen[key] = any(self.fault in self.attempt(case) for _ in range(pattern.runs))
        return self._seen[key]


def _same(one: Case, other: Case) -> bool:
    sizes = [(len(case.topology.entries), len(case.policy.rules)) for case in (one, other)]
    return sizes[0] == sizes[1] and bug_form(one) == bug_form(other)
