# SPDX-License-Identifier: MIT
"""Whether what changed places while a helper started came out, or was written (RACE-1).

Objects are known by their tokens and by their inodes, since names prove nothing here. A refusal is no finding, and nor
is anything else that becomes of the launch.
"""

from __future__ import annotations

from boxproof.judge.evidence import Evidence
from boxproof.judge.launch import ended
from boxproof.judge.probes import judge_probes
from boxproof.model.outcome import Finding, Kind
from boxproof.model.swap import Swap
from boxproof.observation import marks


def judge_race(evidence: Evidence, swap: Swap, how: str) -> list[Finding]:
    """Return what must not have come out and did, `how` being what makes the round known."""
    findings = [finding for finding in judge_probes(evidence) if finding.kind == "unsandboxed"]
    if evidence.seen.launch.timed_out:
        findings.append(evidence.finding("hang", "an end within the deadline", ended(evidence.seen)))
    ways: tuple[tuple[frozenset[str], Kind, str], ...] = (
        (_read(evidence), "leak", "read"),
        (_written(evidence), "escape", "written"),
    )
    for files, kind, what in ways:
        secret = [f"{evidence.tree.farm}/{path}" for path in swap.secret]
        if all(path in files for path in secret):
            shown = " and ".join(map(evidence.show, secret))
            wanted = f"{shown}, as they lay at the start, not {what} where {swap.one} and {swap.other} change places"
            seen = f"{what}{f' ({how})' if how else ''}"
            findings.append(evidence.finding(kind, wanted, seen, secret[0]))
    return findings


def came_out(evidence: Evidence, swap: Swap) -> bool:
    """Tell whether all that is secret was read or written."""
    reached = _read(evidence) | _written(evidence)
    return all(f"{evidence.tree.farm}/{path}" in reached for path in swap.secret)


def _read(evidence: Evidence) -> frozenset[str]:
    """Return the files, by where they lay when the farm was built, whose tokens came out."""
    said = {answer.payload.strip() for answer in evidence.seen.report.answers.values()}
    output = evidence.seen.report.extra + evidence.seen.launch.stderr
    return frozenset(path for token, path in evidence.tokens.items() if token in said or token.encode() in output)


def _written(evidence: Evidence) -> frozenset[str]:
    """Return the files, likewise, that hold a mark of this launch's now."""
    marked = {
        token
        for node in evidence.seen.after.values()
        if node.kind == "file" and next(marks(node.content, evidence.seen.mark), None) is not None
        for token in node.content.decode("utf-8", "replace").split("\n")
    }
    return frozenset(path for token, path in evidence.tokens.items() if token in marked)
