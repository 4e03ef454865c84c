# SPDX-License-Identifier: MIT
"""Cases about what the host lacks: whether that can be brought about here, and whether it concerns this helper."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Final

from attrs import define, field

from boxproof.asking import start_folder
from boxproof.conditions.condition import Condition
from boxproof.conditions.registry import find_condition
from boxproof.errors import ConditionError
from boxproof.grounds.certify import why_not_in_force
from boxproof.grounds.ground import Ground, Site
from boxproof.grounds.simulated import Simulated, simulate
from boxproof.helpers.base import Adapter, Helper
from boxproof.helpers.engines import needs_of
from boxproof.model.case import Case
from boxproof.model.outcome import Judgement, Verdict
from boxproof.model.policy import Policy, Rule
from boxproof.model.swap import Swap
from boxproof.model.tree import parse_tree
from boxproof.observation import Observation

_NO_BACKEND, _OTHER_BACKEND = "FALL-1", "FALL-2"
NOTED: Final = "bwrap-noted"
_PLAIN: Final = Policy("ws", (Rule("rw", "ws"),))


def make_ready(case: Case, ground: Ground, site: Site) -> Simulated | None:
    """Make the case's condition ready for launches in a farm that has been built; none where it has none.

    A swap by the engine is one of these: the bwrap on PATH exchanges the two names before it does anything.

    Raises:
        ConditionError: where it cannot be made on this host.
    """
    swaps = case.swap is not None and case.swap.by == "engine"
    if not case.condition and not swaps:
        return None
    condition = find_condition(NOTED if swaps else case.condition)
    first = exchange_script(case.swap, ground.farm_path) if case.swap and swaps else ""
    cwd = start_folder(case, ground.farm_path)
    return simulate(condition, base=ground.base, cwd=cwd, user=ground.user, env=site.env, first=first)


def exchange_script(swap: Swap, farm: str) -> str:
    """Return a line of sh that exchanges two names once, however often it is executed and whatever PATH is."""
    one, other, aside = (shlex.quote(f"{farm}/{name}") for name in (swap.one, swap.other, f"{swap.other}.aside"))
    once = f"mkdir {shlex.quote(f'{farm}/swapped')} 2>/dev/null"
    return f"(PATH=/usr/bin:/bin; {once} && mv -T {one} {aside} && mv -T {other} {one} && mv -T {aside} {other})\n"


@define
class Lacking:
    """What is known of conditions on one ground under one helper; each is certified once.

    Args:
        ground: where.
        adapter: how the helper is driven.
        helper: the helper.
    """

    ground: Ground
    adapter: Adapter
    helper: Helper
    _certified: dict[str, str] = field(factory=dict, init=False)
    _executes_path: bool | None = field(default=None, init=False)

    def aside(self, case: Case, judge: Callable[[Case], Observation | None]) -> Judgement | None:
        """Return why a case about a condition says nothing of this helper here, none where it does.

        Args:
            case: one with a condition.
            judge: runs a case once and returns what was seen.
        """
        if why := self._beside_the_point(case):
            return Judgement(Verdict.NOT_APPLICABLE, reason=why, exempt=True)
        if why := self._uncertified(case):
            return Judgement(Verdict.NOT_APPLICABLE, reason=why)
        why = self._passes_path_by(case, judge)
        return Judgement(Verdict.NOT_APPLICABLE, reason=why, exempt=True) if why else None

    def _beside_the_point(self, case: Case) -> str:
        """Return why the condition is not what the requirement is about under this helper, or ``""``."""
        backends = needs_of(self.adapter, self.helper)
        lacks = find_condition(case.condition).lacks
        left = [backend for backend in backends if not backend & lacks]
        if case.requirement == _NO_BACKEND and left:
            return f"{self.helper.name} needs {', '.join(sorted(left[0]))} only"
        if case.requirement == _OTHER_BACKEND and (not left or len(left) == len(backends)):
            return f"{self.helper.name} {'loses no backend' if left else 'has no other backend'}"
        return ""

    def _passes_path_by(self, case: Case, judge: Callable[[Case], Observation | None]) -> str:
        """Return that the helper executes no bwrap of PATH, where the case is about that one."""
        if find_condition(case.condition).plan.bwrap in {"", "missing"}:
            return ""
        return self.unhooked(judge)

    def unhooked(self, judge: Callable[[Case], Observation | None]) -> str:
        """Return that the helper executes no bwrap of PATH, or ``""``."""
        if self._executes_path is None:
            plain = Case("noted", "FALL-3", "which bwrap is executed", parse_tree("ws/\n"), _PLAIN, condition=NOTED)
            seen = judge(plain)
            self._executes_path = bool(seen and seen.executions)
        return "" if self._executes_path else f"{self.helper.name} does not execute the bwrap that is first on PATH"

    def _uncertified(self, case: Case) -> str:
        """Return why a condition is not in force on this host, or ``""``."""
        if case.condition not in self._certified:
            why = self._certify(case)
            self._certified[case.condition] = why and f"'{case.condition}' is not in force here: {why}"
        return self._certified[case.condition]

    def _certify(self, case: Case) -> str:
        try:
            with self.ground.site(case.topology) as site:
                site.farm.build(case.topology, case.condition)
                simulated = make_ready(case, self.ground, site)
                return why_not_in_force(site.launcher, simulated) if simulated else ""
        except ConditionError as error:
            return str(error)


def condition_of(case: Case) -> Condition | None:
    """Return the condition of a case, none where it has none.

    Raises:
        ConditionError: for a name that is none.
    """
    return find_condition(case.condition) if case.condition else None
