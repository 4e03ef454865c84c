# SPDX-License-Identifier: MIT
"""What the probe saw against what it may see: by bytes, never by errno (architecture, rule 2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from boxproof.farm import CANARY
from boxproof.judge.evidence import Evidence
from boxproof.model.outcome import Allowed, Finding, Kind
from boxproof.model.probe import MUTATING, Probe, format_probe
from boxproof.probe.reader import Answer

_WRITING: Final = frozenset({"write", "create"})


def judge_probes(evidence: Evidence, *, complete: bool = True) -> list[Finding]:
    """Return what is wrong with the probes' answers, then what no probe at all may show.

    Args:
        evidence: what is judged.
        complete: whether the command ran to its end, so that an answer that is not there counts.
    """
    findings: list[Finding] = []
    for number, (probe, allowed) in enumerate(zip(evidence.case.probes, evidence.expectation.probes, strict=True)):
        if "any" not in allowed.outcomes:
            findings += _one(number, probe, allowed, evidence)
    findings += _groups(evidence)
    if not complete:
        findings = [finding for finding in findings if finding.kind != "overblock"]
    told = {finding.path for finding in findings if finding.kind == "leak"}
    return findings + [finding for finding in _secrets(evidence) if finding.path not in told]


def achieved(number: int, probe: Probe, evidence: Evidence, *, control: bool = False) -> bool:
    """Tell whether a probe did what it tried, its content or mark being the proof."""
    seen = evidence.control if control else evidence.seen
    answer = seen.report.answers.get(number)
    done = answer is not None and bool(answer.ok)
    if probe.operation in _WRITING:
        # a mark may be gone because a later probe took the file away; the control writes where nothing hinders it
        later = any(other.operation in MUTATING for other in evidence.case.probes[number:])
        return number in seen.landed or (done and (control or later))
    if probe.operation == "read":
        return done and answer is not None and bool(answer.payload.strip())
    return done


def _one(number: int, probe: Probe, allowed: Allowed, evidence: Evidence) -> Iterator[Finding]:
    if not achieved(number, probe, evidence):
        if allowed.outcomes == {"allowed"}:
            answer = evidence.seen.report.answers.get(number)
            yield _finding("overblock", probe, allowed, _failure(probe, answer), evidence)
    elif probe.operation == "read":
        yield from _read(number, probe, allowed, evidence)
    elif probe.operation in _WRITING:
        yield from _written(number, probe, allowed, evidence)
    elif "allowed" not in allowed.outcomes:
        kind: Kind = "escape" if probe.operation in MUTATING else "leak"
        yield _finding(kind, probe, allowed, f"{probe.operation} succeeded", evidence)


def _read(number: int, probe: Probe, allowed: Allowed, evidence: Evidence) -> Iterator[Finding]:
    payload = evidence.seen.report.answers[number].payload
    found = evidence.object_of(payload)
    own = not allowed.real or evidence.seen.same_object(found, allowed.real) if found else not allowed.real
    if "allowed" in allowed.outcomes:
        if not own:
            kind: Kind = "leak" if found in evidence.expectation.secret else "wrong-object"
            yield _finding(kind, probe, allowed, f"read {_what(found, evidence)}", evidence, path=found)
    elif found or payload == evidence.control.answer(number)[1]:
        # bytes that are no token are a mask's own, unless they are what the probe reads without a helper
        kind = "leak" if own or found in evidence.expectation.secret else "wrong-object"
        yield _finding(kind, probe, allowed, f"read {_what(found, evidence)}", evidence, path=found)


def _what(found: str, evidence: Evidence) -> str:
    return f"the content of {evidence.show(found)}" if found else "its content"


def _written(number: int, probe: Probe, allowed: Allowed, evidence: Evidence) -> Iterator[Finding]:
    places = evidence.seen.landed.get(number, ())
    right = "allowed" in allowed.outcomes
    wrong = [place for place in places if not (right and _is_right(place, allowed, evidence))]
    if not wrong:
        return
    shown = ", ".join(map(evidence.show, wrong))
    kind: Kind = "wrong-object" if right else "escape"
    kind = "unsandboxed" if f"{evidence.base}/{CANARY}" in wrong else kind
    yield _finding(kind, probe, allowed, f"the host's {shown} was written", evidence, path=wrong[0])


def _is_right(place: str, allowed: Allowed, evidence: Evidence) -> bool:
    if not allowed.real:
        return evidence.nearest(place) in evidence.expectation.writable
    same = evidence.seen.same_object(place, allowed.real)
    return same or evidence.tree.origin(place) == evidence.tree.origin(allowed.real)


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
    answers = evidence.seen.report.answers
    output = evidence.seen.report.extra + evidence.seen.launch.stderr
    said = {answer.payload.strip() for answer in answers.values()}
    for token, path in evidence.tokens.items():
        if path in evidence.expectation.secret and (token in said or token.encode() in output):
            by = [
                f"`{format_probe(evidence.case.probes[number])}`"
                for number, answer in sorted(answers.items())
                if answer.payload.strip() == token
            ]
            wanted = f"nothing shows the content of {evidence.show(path)}"
            yield evidence.finding("leak", wanted, f"shown by {', '.join(by) or 'the output of the helper'}", path)


def _finding(  # noqa: PLR0913 - one line of a report, all of it
    kind: Kind, probe: Probe, allowed: Allowed, seen: str, evidence: Evidence, *, path: str = ""
) -> Finding:
    wanted = " or ".join(sorted(allowed.outcomes))
    because = f" ({allowed.why})" if allowed.why else ""
    asked = format_probe(Probe(probe.operation, probe.path, probe.other)).replace(evidence.base, "{base}")
    return evidence.finding(kind, f"{asked}: {wanted}{because}", seen, path or allowed.real)


def _failure(probe: Probe, answer: Answer | None) -> str:
    if answer is None:
        return "no answer"
    if answer.ok:
        return "empty" if probe.operation == "read" else "it succeeded inside, and the host does not show it"
    return f"denied {answer.payload}".strip()
