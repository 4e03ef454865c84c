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
from boxproof.model.policy import format_rule
from boxproof.model.relations import object_of, related
from boxproof.model.resolve import Tree
from boxproof.observation import Observation
from boxproof.runner import Run, Runner

Outcomes = Mapping[tuple[str, str], frozenset[str]]
"""(operation, object) -> what was read there, or where the mark landed, by any spelling."""

_ENDED: Final[Mapping[str, str]] = {"ran": "runs", "refused": "is refused"}
_UNTOLD: Final = frozenset({Verdict.NOT_APPLICABLE, Verdict.ERROR})


@frozen
class Related:
    """Runs cases of two policies, and hands all others to the runner; stands where a `Runner` stands.

    Args:
        runner: runs every policy.
    """

    runner: Runner

    def run(self, case: Case, repeat: int = 1) -> Run:
        """Judge a case; one with a relation by whether both policies come to the same, the second's launch shown."""
        if not case.relation:
            return self.runner.run(case, repeat)
        runs = [self._once(case) for _ in range(repeat)]
        failed = [run for run in runs if run.judgement.verdict is Verdict.FAIL]
        shown = failed[0] if failed else runs[0]
        if failed and len(failed) < len(runs):
            reason = f"flaky: failed {len(failed)} of {len(runs)} launches"
            shown = evolve(shown, judgement=evolve(shown.judgement, verdict=Verdict.FLAKY, reason=reason))
        launches, seconds = sum(run.launches for run in runs), sum(run.seconds for run in runs)
        return evolve(shown, launches=launches, repeats=len(runs), failed=len(failed), seconds=seconds)

    def _once(self, case: Case) -> Run:
        other = related(case)
        if other is None:
            return Run(case, Judgement(Verdict.NOT_APPLICABLE, reason="this policy has no other form"))
        first = self.runner.run(evolve(case, relation=""))
        if first.judgement.verdict in _UNTOLD or first.seen is None:
            return first
        second = self.runner.run(evolve(other, probes=first.case.probes))
        if second.judgement.verdict in _UNTOLD or second.seen is None:
            return second
        findings = tuple(_differences(case, first, second, self.runner.ground.farm_path))
        judgement = Judgement(Verdict.FAIL if findings else Verdict.PASS, findings, launch=first.judgement.launch)
        launches, seconds = first.launches + second.launches, first.seconds + second.seconds
        shown = evolve(first.case, relation=case.relation)
        return Run(shown, judgement, second.seen, launches, seconds=seconds)


def _differences(case: Case, first: Run, second: Run, farm: str) -> Iterator[Finding]:
    was, now = first.judgement.launch, second.judgement.launch
    beside = "; ".join(format_rule(rule) for rule in second.case.policy.rules)
    expected = f"the same outcome under the rules: {beside}"
    kind: Kind = "order-sensitive" if case.relation == "reversed" else "inconsistent"
    if was != now:
        ends = [_ENDED.get(launch, f"ends in a {launch}") for launch in (was, now)]
        yield Finding(kind, case.requirement, expected, f"the case {ends[0]}, that one {ends[1]}")
    elif first.seen is not None and second.seen is not None:
        one, other = _outcomes(first.case, first.seen, farm), _outcomes(first.case, second.seen, farm)
        for (operation, real), seen in one.items():
            if seen != other[operation, real]:
                name = escape(real.removeprefix(f"{farm}/"))
                words = f"{operation}: the case {_words(seen)}, that one {_words(other[operation, real])}"
                yield Finding(kind, case.requirement, expected, words, name)


def _words(seen: frozenset[str]) -> str:
    return f"reaches {len(seen)} objects" if len(seen) > 1 else "succeeds" if seen else "fails"


def _outcomes(case: Case, seen: Observation, farm: str) -> Outcomes:
    """Return what came of all probes, spellings of one object taken together."""
    tree = Tree(case.topology, farm)
    found: dict[tuple[str, str], frozenset[str]] = {}
    for number, probe in enumerate(case.probes):
        key = (probe.operation, object_of(probe, tree))
        effects = _effects(number, seen)
        new = probe.operation == "create"
        found[key] = found.get(key, frozenset()).union(map(posixpath.dirname, effects) if new else effects)
    return found


def _effects(number: int, seen: Observation) -> Iterator[str]:
    """Iterate over the paths whose content a probe read or in which its mark lies; tokens differ between launches."""
    said = seen.report.answers.get(number)
    token = said.payload.strip().encode() if said and said.ok else b""
    if token:
        yield from (path for path, node in seen.before.items() if token in node.content)
    yield from seen.landed.get(number, ())
