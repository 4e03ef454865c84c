# SPDX-License-Identifier: MIT
"""Two policies that must mean the same on one farm, each launched once; no oracle has a say."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import evolve, frozen

from boxproof.model.case import Case
from boxproof.model.names import escape
from boxproof.model.outcome import Finding, Judgement, Kind, Verdict
from boxproof.model.policy import format_rule, spelled_at
from boxproof.model.resolve import Tree, resolve
from boxproof.model.suite import Change
from boxproof.observation import Observation
from boxproof.runner import Run, Runner

Outcomes = Mapping[tuple[str, str], frozenset[str]]
"""(operation, object) -> what was read there, or where the mark landed, by any spelling."""

_UNTOLD: Final = frozenset({Verdict.NOT_APPLICABLE, Verdict.ERROR})


@frozen
class Related:
    """Runs a case and its twin under the changed policy; stands where a `Runner` stands.

    Args:
        runner: runs both.
        change: gives the second policy.
    """

    runner: Runner
    change: Change

    def run(self, case: Case, repeat: int = 1) -> Run:
        """Judge only whether both come to the same; the launch that a report shows is the second one's."""
        runs = [self._once(case) for _ in range(repeat)]
        failed = [run for run in runs if run.judgement.verdict is Verdict.FAIL]
        shown = failed[0] if failed else runs[0]
        if failed and len(failed) < len(runs):
            reason = f"flaky: failed {len(failed)} of {len(runs)} launches"
            shown = evolve(shown, judgement=evolve(shown.judgement, verdict=Verdict.FLAKY, reason=reason))
        launches, seconds = sum(run.launches for run in runs), sum(run.seconds for run in runs)
        return evolve(shown, launches=launches, repeats=len(runs), failed=len(failed), seconds=seconds)

    def _once(self, case: Case) -> Run:
        changed = self.change(case.topology, case.policy)
        if changed is None:
            return Run(case, Judgement(Verdict.NOT_APPLICABLE, reason="this policy has no other form"))
        first = self.runner.run(case)
        if first.judgement.verdict in _UNTOLD or first.seen is None:
            return first
        second = self.runner.run(evolve(first.case, policy=changed))
        if second.judgement.verdict in _UNTOLD or second.seen is None:
            return second
        findings = tuple(_differences(case.requirement, first, second, self.runner.ground.farm_path))
        judgement = Judgement(Verdict.FAIL if findings else Verdict.PASS, findings, launch=first.judgement.launch)
        launches, seconds = first.launches + second.launches, first.seconds + second.seconds
        return Run(evolve(case, policy=changed), judgement, second.seen, launches, seconds=seconds)


def _differences(requirement: str, first: Run, second: Run, farm: str) -> Iterator[Finding]:
    was, now = first.judgement.launch, second.judgement.launch
    beside = "; ".join(format_rule(rule) for rule in first.case.policy.rules)
    expected = f"the same as under the policy: {beside}"
    if was != now:
        kind: Kind = "no-start" if "refused" in (was, now) else "status-lost"
        yield Finding(_kind(requirement, kind), requirement, expected, f"that one {was}, this one {now}")
    elif first.seen is not None and second.seen is not None:
        one, other = _outcomes(first.case, first.seen, farm), _outcomes(first.case, second.seen, farm)
        for (operation, real), seen in one.items():
            if seen != other[operation, real]:
                name = escape(real.removeprefix(f"{farm}/"))
                words = f"{operation}: that one {_words(seen)}, this one {_words(other[operation, real])}"
                both = bool(seen) and bool(other[operation, real])
                yield Finding(
                    _kind(requirement, "wrong-object" if both else "overblock"), requirement, expected, words, name
                )


def _kind(requirement: str, kind: Kind) -> Kind:
    """Return what a difference is called: where the two differ in order alone (BIND-4), just that."""
    return "order-sensitive" if requirement == "BIND-4" else kind


def _words(seen: frozenset[str]) -> str:
    return "succeeds" if seen else "fails"


def _outcomes(case: Case, seen: Observation, farm: str) -> Outcomes:
    """Return what came of all probes, spellings of one object taken together."""
    tree = Tree(case.topology, farm)
    found: dict[tuple[str, str], frozenset[str]] = {}
    for number, probe in enumerate(case.probes):
        walk = resolve(tree, spelled_at(probe.path, farm))
        # a new name tells of its folder: which spelling of the folder works is not the question
        real = posixpath.dirname(walk.creatable) if probe.operation == "create" else walk.real
        key = (probe.operation, real or walk.creatable or probe.path)
        effects = _effects(number, seen)
        found[key] = found.get(key, frozenset()).union(map(posixpath.dirname, effects) if walk.creatable else effects)
    return found


def _effects(number: int, seen: Observation) -> Iterator[str]:
    """Iterate over the paths whose content a probe read or in which its mark lies; tokens differ between launches."""
    said = seen.report.answers.get(number)
    token = said.payload.strip().encode() if said and said.ok else b""
    if token:
        yield from (path for path, node in seen.before.items() if token in node.content)
    yield from seen.landed.get(number, ())
