# SPDX-License-Identifier: MIT
"""Cases under one helper: what cannot be asked, the repeats, and the verdict on all of them."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from attrs import define, evolve, field, frozen

from boxproof.grounds.ground import Ground
from boxproof.helpers.base import Adapter, Helper
from boxproof.lacking import Lacking
from boxproof.model.capability import Capability
from boxproof.model.case import Case
from boxproof.model.needs import needs
from boxproof.model.outcome import Finding, Judgement, Verdict
from boxproof.model.policy import Policy, Rule
from boxproof.model.probe import Probe
from boxproof.model.tree import parse_tree
from boxproof.observation import Observation
from boxproof.rounds import Round, Rounds

_TIMEOUT_FLOOR: Final = 5.0
_TIMEOUT_FACTOR: Final = 3.0
_BASELINE_SECONDS: Final = 30.0


@frozen
class Run:
    """What became of one case under one helper.

    Args:
        case: as it was run, derived probes included.
        judgement: the verdict.
        seen: the launch that a report shows: the first that failed, else the first; ``None`` where there was none.
        launches: how many times the helper was started.
        repeats: how many times the case was judged.
        failed: how many of these failed.
        seconds: wall time of all of it.
    """

    case: Case
    judgement: Judgement
    seen: Observation | None = None
    launches: int = 0
    repeats: int = 0
    failed: int = 0
    seconds: float = 0.0


@define
class Runner:
    """Runs cases on `ground` under one helper.

    Args:
        ground: where.
        adapter: how the helper is driven.
        helper: the helper.
        timeout: deadline of one launch in seconds; 0 for three times the helper's own baseline, at least 5.
    """

    ground: Ground
    adapter: Adapter
    helper: Helper
    timeout: float = 0.0
    _claims: frozenset[Capability] = field(init=False)
    _lacking: Lacking = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Ask once what the helper claims, and how long it takes to start where nobody has said."""
        self._claims = self.adapter.claims(self.helper)
        self._lacking = Lacking(self.ground, self.adapter, self.helper)
        if not self.timeout:
            seen = self._plain.seen
            self.timeout = max(_TIMEOUT_FLOOR, _TIMEOUT_FACTOR * (seen.launch.seconds if seen is not None else 0.0))

    def run(self, case: Case, repeat: int = 1) -> Run:
        """Judge a case `repeat` times, each on a farm of its own.

        Raises:
            BoxproofError: where the suite cannot do its work on this host.
        """
        start = time.monotonic()
        # a topology keeps what the model works out about it: this one for as long as the run is kept
        case = evolve(case, topology=evolve(case.topology))
        lacks = needs(case, self.ground.farm_path) - self._claims
        reason = self._not_applicable(case, lacks)
        if reason:
            return Run(case, Judgement(Verdict.NOT_APPLICABLE, reason=reason))
        if case.condition and (aside := self._lacking.aside(case, self._seen)):
            return Run(case, aside)
        rounds = [self._round(case, lacks).judge() for _ in range(repeat)]
        return evolve(_together(rounds), seconds=time.monotonic() - start)

    def _seen(self, case: Case) -> Observation | None:
        return self._round(case, frozenset()).judge().seen

    def _round(self, case: Case, lacks: frozenset[Capability]) -> Rounds:
        return Rounds(
            ground=self.ground,
            adapter=self.adapter,
            helper=self.helper,
            case=case,
            timeout=case.deadline or self.timeout,
            may_refuse=_NO_CARVE_OUT if Capability.CARVE_OUT in lacks else "",
        )

    def _not_applicable(self, case: Case, lacks: frozenset[Capability]) -> str:
        missing = lacks - {Capability.CARVE_OUT}
        if missing:
            return f"{self.helper.name} does not claim {', '.join(sorted(missing))}"
        if Capability.GRANT_OVERRIDES_DENY in self._claims and case.requirement == "NEST-1":
            return f"{self.helper.name} documents that a grant overrides a deny"
        reason = self.ground.cannot(case)
        if not reason and case.topology.mounts and self._starts_only_without_mounts:
            return f"{self.helper.name} does not start where root's files show as nobody's; run as root"
        return reason or self._not_here

    @cached_property
    def _plain(self) -> Round:
        return self._baseline(_PLAIN)

    @cached_property
    def _starts_only_without_mounts(self) -> bool:
        """Whether the helper starts, but not where an ordinary user's farm has mounts: in a namespace without root."""
        if not self.ground.mounts_apart or self._plain.judgement.launch != "ran":
            return False
        return self._baseline(f"{_PLAIN}disk/ tmpfs\n").judgement.launch != "ran"

    @cached_property
    def _not_here(self) -> str:
        """Why nothing can be learnt of the helper on this ground: it starts on another that has no more to offer."""
        if not self.ground.comparisons or self._plain.judgement.launch == "ran":
            return ""
        host, bare = (self._baseline(_PLAIN, ground).judgement.launch for ground in self.ground.comparisons)
        if host != "ran" or bare == "ran":
            return ""
        user = os.geteuid() != 0
        where = "in a user namespace, where root's files show as nobody's" if user else "below an overlay"
        return f"{self.helper.name} starts on the host and not {where}{'; run as root' if user else ''}"

    def _baseline(self, tree: str, ground: Ground | None = None) -> Round:
        """Return what becomes of the plainest policy."""
        policy = Policy("ws", (Rule("rw", "ws"),))
        case = Case(
            "baseline", "START-1", "the plainest policy", parse_tree(tree), policy, (Probe("create", "ws/new"),)
        )
        return Rounds(ground or self.ground, self.adapter, self.helper, case, timeout=_BASELINE_SECONDS).judge()


_PLAIN: Final = "ws/\n"
_NO_CARVE_OUT: Final = "a helper without carve-outs must refuse a narrower access inside a wider one (NEST-1)"


def _together(rounds: Sequence[Round]) -> Run:
    """Return one verdict for all repeats: `flaky` where they differ, with the findings of the first that failed."""
    failed = [one for one in rounds if one.judgement.verdict in {Verdict.FAIL, Verdict.ERROR}]
    shown = failed[0] if failed else rounds[0]
    judgement = shown.judgement
    troubles = [one for one in failed if one.judgement.verdict is Verdict.ERROR]
    if troubles:
        shown, judgement = troubles[0], troubles[0].judgement
    elif len({_signature(one) for one in rounds}) > 1:
        judgement = evolve(
            judgement, verdict=Verdict.FLAKY, findings=_all_findings(failed), reason=_how_flaky(rounds, failed)
        )
    return Run(
        case=shown.case,
        judgement=judgement,
        seen=shown.seen,
        launches=sum(one.launches for one in rounds),
        repeats=len(rounds),
        failed=len(failed),
    )


def _how_flaky(rounds: Sequence[Round], failed: Sequence[Round]) -> str:
    if failed:
        return f"flaky: failed {len(failed)} of {len(rounds)} launches"
    endings = Counter(one.judgement.launch for one in rounds)
    return "flaky: " + ", ".join(f"{ending} {count} times" for ending, count in sorted(endings.items()))


def _signature(one: Round) -> tuple[object, ...]:
    kinds = frozenset((finding.kind, finding.path) for finding in one.judgement.findings)
    return one.judgement.verdict, one.judgement.launch, kinds


def _all_findings(rounds: Sequence[Round]) -> tuple[Finding, ...]:
    by_kind = {(found.kind, found.path): found for one in reversed(rounds) for found in one.judgement.findings}
    return tuple(by_kind.values())
