# SPDX-License-Identifier: MIT
"""What the probe saw against what it may see: by bytes, never by errno (architecture, rule 2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from boxproof.judge.evidence import Evidence
from boxproof.model.outcome import Allowed, Finding, Kind
from boxproof.model.probe import MUTATING, Probe, format_probe
from boxproof.probe.reader import Answer

_WRITING: Final = frozenset({"write", "create"})


def judge_probes(evidence: Evidence) -> list[Finding]:
    """Return what is wrong with the probes' answers, then what no probe at all may show."""
    findings: list[Finding] = []
    for number, (probe, allowed) in enumerate(zip(evidence.case.probes, evidence.expectation.probes, strict=True)):
        if "any" not in allowed.outcomes:
            findings += _one(number, probe, allowed, evidence)
    findings += _groups(evidence)
    told = {finding.path for finding in findings if finding.kind == "leak"}
    findings += [finding for finding in _secrets(evidence) if finding.path not in told]
    return findings


def achieved(number: int, probe: Probe, evidence: Evidence, *, control: bool = False) -> bool:
    """Tell whether a probe did what it tried, its content or mark being the proof."""
    answer = (evidence.control if control else evidence.seen).report.answers.get(number)
    # without a helper a write that succeeded has landed, even where a later probe took the file away
    if probe.operation in _WRITING and not control:
        return number in evidence.seen.landed
    if answer is None or not answer.ok:
        return False
    return bool(answer.payload.strip()) or probe.operation != "read"


def _one(number: int, probe: Probe, allowed: Allowed, evidence: Evidence) -> Iterator[Finding]:
    if not achieved(number, probe, evidence):
        if allowed.outcomes == {"allowed"}:
            yield _finding("overblock", probe, allowed, _failure(evidence.seen.report.answers.get(number)), evidence)
    elif probe.operation == "read":
        yield from _read(number, probe, allowed, evidence)
    elif probe.operation in _WRITING:
        yield from _written(number, probe, allowed, evidence)
    elif "allowed" not in allowed.outcomes:
        kind: Kind = "escape" if probe.operation in MUTATING else "leak"
        yield _finding(kind, probe, allowed, f"{probe.operation} succeeded", evidence)


def _read(number: int, probe: Probe, allowed: Allowed, evidence: Evidence) -> Iterator[Finding]:
    found = evidence.object_of(evidence.seen.report.answers[number].payload)
    wanted = not allowed.real or not found or evidence.seen.same_object(found, allowed.real)
    if "allowed" in allowed.outcomes and wanted and (found or not allowed.real):
        return
    what = f"the content of {evidence.show(found)}" if found else "other content than its own"
    secret = found in evidence.expectation.secret or (wanted and "allowed" not in allowed.outcomes)
    yield _finding("leak" if secret else "wrong-object", probe, allowed, f"read {what}", evidence, path=found)


def _written(number: int, probe: Probe, allowed: Allowed, evidence: Evidence) -> Iterator[Finding]:
    places = evidence.seen.landed[number]
    right = any(evidence.seen.same_object(place, allowed.real) for place in places)
    if "allowed" in allowed.outcomes and right:
        return
    shown = ", ".join(map(evidence.show, places))
    kind: Kind = "wrong-object" if "allowed" in allowed.outcomes else "escape"
    kind = "unsandboxed" if f"{evidence.base}/outside/canary" in places else kind
    yield _finding(kind, probe, allowed, f"the host's {shown} was written", evidence, path=places[0])


def _groups(evidence: Evidence) -> Iterator[Finding]:
    for group in evidence.expectation.one_of:
        probes = [evidence.case.probes[number] for number in group]
        if not any(achieved(number, probe, evidence) for number, probe in zip(group, probes, strict=True)):
            tried = ", ".join(evidence.show(probe.path) for probe in probes)
            yield evidence.finding(
                "overblock",
                "at least one spelling of a listed object is readable",
                f"none of {tried} is",
                evidence.expectation.probes[group[0]].real,
            )


def _secrets(evidence: Evidence) -> Iterator[Finding]:
    said = {answer.payload.strip() for answer in evidence.seen.report.answers.values()}
    for token, path in evidence.tokens.items():
        if path in evidence.expectation.secret and (token in said or token.encode() in evidence.seen.report.extra):
            by = [
                format_probe(evidence.case.probes[number])
                for number, answer in sorted(evidence.seen.report.answers.items())
                if answer.payload.strip() == token
            ]
            yield evidence.finding(
                "leak",
                f"no probe shows the content of {evidence.show(path)}",
                f"shown by {', '.join(f'`{probe}`' for probe in by) or 'the output'}",
                path,
            )


def _finding(  # noqa: PLR0913 - one line of a report, all of it
    kind: Kind, probe: Probe, allowed: Allowed, seen: str, evidence: Evidence, *, path: str = ""
) -> Finding:
    wanted = " or ".join(sorted(allowed.outcomes))
    because = f" ({allowed.why})" if allowed.why else ""
    asked = format_probe(Probe(probe.operation, probe.path, probe.other))
    return evidence.finding(kind, f"{asked}: {wanted}{because}", seen, path or allowed.real)


def _failure(answer: Answer | None) -> str:
    if answer is None:
        return "no answer"
    if answer.ok:
        return "empty" if answer.payload == "" else "the write did not reach the host"
    return f"denied {answer.payload}".strip()
