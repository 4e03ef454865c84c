# SPDX-License-Identifier: MIT
"""A launch on a host that lacks something: which findings count, and how the launch is classed (FALL-1 to FALL-8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from boxproof.conditions.condition import Condition
from boxproof.judge.evidence import Evidence
from boxproof.judge.launch import Ending, reason
from boxproof.judge.reasons import named, names_option_or_version
from boxproof.model.outcome import SECURITY, Finding, Kind

_COMMON: Final = frozenset({0, 1, 126, 127})
"""Statuses that commands end with so often that a refusal with one of them cannot be told from a failed command."""
_SIGNALLED: Final = 128


def judge_lack(findings: Sequence[Finding], ending: Ending, evidence: Evidence, condition: Condition) -> list[Finding]:
    """Return the findings that count for the requirement of the case, and those that only this one makes."""
    own = _OWN[evidence.case.requirement](ending, evidence, condition)
    counted = [finding for finding in findings if _counts(finding.kind, ending, evidence, condition)]
    return [*own, *counted]


def inconclusive(evidence: Evidence) -> str:
    """Return why a launch under a condition says nothing about the helper, or ``""``."""
    if evidence.seen.launch.clashed:
        return "the helper wants to listen to system calls itself, which the supervisor of the condition does"
    error = evidence.seen.launch.exec_error
    return f"under the condition the helper cannot even be executed: {error}" if error else ""


def outcome_class(findings: Sequence[Finding], ending: Ending, evidence: Evidence, condition: Condition) -> str:
    """Return how a helper took what its host lacks, in two or three words."""
    if ending == "ran":
        kinds = {finding.kind for finding in findings}
        if "unsandboxed" in kinds:
            return "unconfined"
        if kinds & SECURITY:
            return "weaker and announced" if _announced(evidence, condition) else "weaker in silence"
        return "confined"
    if ending == "refused":
        return "refused and clear" if named(_said(evidence), condition.lacks).mechanism else "refused and opaque"
    return {"silent": "refused and opaque", "hang": "hung", "crash": "crashed"}.get(ending, "no report")


def _counts(kind: Kind, ending: Ending, evidence: Evidence, condition: Condition) -> bool:
    """Tell whether a finding of an ordinary launch is this requirement's business."""
    requirement = evidence.case.requirement
    if kind in {"unsandboxed", "hang", "leftover", "host-change"}:
        return True
    if kind in SECURITY:
        return not (requirement == "FALL-4" and ending == "ran" and _announced(evidence, condition))
    if requirement == "FALL-1":
        return kind in {"silent", "crash", "status-lost"}
    if requirement == "FALL-2":
        return True
    return requirement == "FALL-6" and kind == "status-lost"


def _announced(evidence: Evidence, condition: Condition) -> bool:
    return evidence.weaker or named(_said(evidence), condition.lacks).mechanism


def _no_finding(ending: Ending, evidence: Evidence, condition: Condition) -> list[Finding]:
    del ending, evidence, condition
    return []


def _clear(ending: Ending, evidence: Evidence, condition: Condition) -> list[Finding]:
    """A refusal names what is missing."""
    names = named(_said(evidence), condition.lacks)
    if ending != "refused" or names.mechanism:
        return []
    lacks = " or ".join(sorted(condition.lacks))
    return [evidence.finding("opaque", f"a reason that names {lacks}", f"it names {names}", detail=reason(evidence))]


def _own_status(ending: Ending, evidence: Evidence, condition: Condition) -> list[Finding]:
    """A refusal has a status of its own, and the preflight has the same."""
    del condition
    if ending == "ran":
        return []
    status = evidence.seen.launch.status
    if status is None or status in _COMMON or status >= _SIGNALLED:
        wanted = "a status that a command seldom ends with"
        return [evidence.finding("same-status", wanted, f"the status is {status}", detail=reason(evidence))]
    if evidence.seen.preflight is not None and evidence.seen.preflight.status != status:
        seen = f"the preflight ends with {evidence.seen.preflight.status}, the run with {status}"
        return [evidence.finding("same-status", "the same status from preflight and run", seen)]
    return []


def _not_executed(ending: Ending, evidence: Evidence, condition: Condition) -> list[Finding]:
    del ending
    if not evidence.seen.executions:
        return []
    seen = f"it was executed {evidence.seen.executions} times"
    return [evidence.finding("untrusted-backend", f"no execution where {condition.summary}", seen)]


def _old(ending: Ending, evidence: Evidence, condition: Condition) -> list[Finding]:
    if ending == "ran" or names_option_or_version(_said(evidence)):
        return []
    wanted = "a refusal that names the option or the version"
    return [evidence.finding("opaque", wanted, f"it says of {condition.name}", detail=reason(evidence))]


_OWN: Final[Mapping[str, Callable[[Ending, Evidence, Condition], list[Finding]]]] = {
    "FALL-1": _clear,
    "FALL-2": _no_finding,
    "FALL-3": _no_finding,
    "FALL-4": _no_finding,
    "FALL-5": _own_status,
    "FALL-6": _no_finding,
    "FALL-7": _not_executed,
    "FALL-8": _old,
}


def _said(evidence: Evidence) -> str:
    return evidence.seen.launch.stderr.decode("utf-8", "backslashreplace")
