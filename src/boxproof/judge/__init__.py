# SPDX-License-Identifier: MIT
"""(Expectation, Observation) -> Judgement. Nothing else decides pass or fail."""

from __future__ import annotations

from boxproof.judge.control import without_control
from boxproof.judge.evidence import Evidence
from boxproof.judge.fallback import inconclusive, judge_lack, outcome_class
from boxproof.judge.host import judge_host
from boxproof.judge.launch import classify, judge_launch
from boxproof.judge.probes import judge_probes
from boxproof.model.outcome import SECURITY, Judgement, Verdict

__all__ = ["Evidence", "judge"]


def judge(evidence: Evidence) -> Judgement:
    """Return the verdict on one launch.

    `error` where the suite's own control failed (a denial counts only beside its control), else `fail` with every
    finding, else `pass`.
    """
    error = evidence.seen.launch.exec_error
    if evidence.condition is not None and (why := inconclusive(evidence)):
        return Judgement(Verdict.NOT_APPLICABLE, reason=f"inconclusive: {why}")
    trouble = f"the helper could not be started: {error}" if error else without_control(evidence)
    if trouble:
        return Judgement(Verdict.ERROR, reason=trouble)
    launch = classify(evidence.seen)
    findings = judge_launch(launch, evidence)
    # a command that was cut short, or ran behind a refusal, may have seen or done what it must not all the same
    findings += judge_probes(evidence, complete=launch == "ran")
    findings += judge_host(evidence)
    reason = ""
    if evidence.condition is not None:
        reason = outcome_class(findings, launch, evidence, evidence.condition)
        findings = judge_lack(findings, launch, evidence, evidence.condition)
    findings.sort(key=lambda finding: (finding.kind != "unsandboxed", finding.kind not in SECURITY))
    return Judgement(Verdict.FAIL if findings else Verdict.PASS, tuple(findings), reason, launch)
