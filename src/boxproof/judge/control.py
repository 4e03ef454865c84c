# SPDX-License-Identifier: MIT
"""A denial counts only beside its control: the same probe, without the helper, must succeed (architecture, rule 1)."""

from __future__ import annotations

from boxproof.judge.evidence import Evidence
from boxproof.judge.probes import achieved
from boxproof.model.outcome import Allowed
from boxproof.model.probe import MUTATING, Probe, format_probe


def without_control(evidence: Evidence) -> str:
    """Return the suite's own trouble with this case, on one line, or ``""``."""
    control = evidence.control
    if not (control.report.began and control.report.finished):
        return f"the probe did not run without the helper: {control.launch.exec_error or control.launch.stderr!r}"
    asked = list(enumerate(zip(evidence.case.probes, evidence.expectation.probes, strict=True)))
    succeeded = {number for number, (probe, _) in asked if achieved(number, probe, evidence, control=True)}
    reached = {(_class(probe), allowed.real) for number, (probe, allowed) in asked if number in succeeded}
    mutated = False
    for number, (probe, allowed) in asked:
        answer = control.report.answers.get(number)
        stands = number in succeeded or (bool(allowed.real) and (_class(probe), allowed.real) in reached)
        if _needs_control(probe, allowed) and not stands:
            return f"the denial of `{format_probe(probe)}` has no control: without the helper it gives {answer}"
        if not mutated and allowed.outcomes == {"allowed"} and number not in succeeded:
            return f"`{format_probe(probe)}` must work, and without the helper it gives {answer}"
        mutated = mutated or probe.operation in MUTATING
    return ""


def _class(probe: Probe) -> str:
    return "write" if probe.operation in {"write", "create"} else probe.operation


def _needs_control(probe: Probe, allowed: Allowed) -> bool:
    """Tell whether the probe is denied something that is there; what leads nowhere is absent without a helper too."""
    if allowed.outcomes & {"any", "allowed"}:
        return False
    return bool(allowed.real) or probe.expected == {"denied"}
