# SPDX-License-Identifier: MIT
"""What is different on the host, and who may have done it (contract: HOST-1, ESC-3, MASK-4, MASK-7)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from boxproof.judge.evidence import Evidence
from boxproof.model.access import ancestry
from boxproof.model.outcome import Finding, Kind
from boxproof.model.probe import WITH_OTHER
from boxproof.observation import marks
from boxproof.snapshot import Difference

_MAKES: Final = {"mkdir": "folder", "symlink": "link"}
_METADATA: Final = frozenset({"mode", "owner", "time"})


def judge_host(evidence: Evidence) -> list[Finding]:
    """Return every change on the host that neither the policy nor the adapter's declaration covers."""
    findings = [finding for change in evidence.seen.changes for finding in _one(change, evidence)]
    return findings + list(_copies(evidence))


def _one(change: Difference, evidence: Evidence) -> Iterator[Finding]:
    if _declared(change.path, evidence) or (change.aspect == "time"):
        return
    if list(marks(change.content, evidence.seen.mark)) and change.change != "removed":
        return  # a probe's own mark: judged with the probe that wrote it
    by_command = _explained(change, evidence)
    if by_command and _permitted(change, evidence):
        return
    if by_command and not evidence.metadata and set(change.aspect.split(", ")) <= _METADATA:
        return
    kind: Kind = "escape" if by_command else "host-change"
    seen = f"{change.change} ({change.aspect})"
    who = "by the command" if by_command else "and no probe did it"
    yield evidence.finding(kind, f"{evidence.show(change.path)} stays as it was", f"{seen}, {who}", change.path)


def _declared(path: str, evidence: Evidence) -> bool:
    relative = path.removeprefix(f"{evidence.base}/")
    return any(
        fnmatchcase(relative, pattern) or fnmatchcase(relative, f"{pattern}/*") for pattern in evidence.declared
    )


def _explained(change: Difference, evidence: Evidence) -> bool:
    """Tell whether a probe meant to change this name, or one above it."""
    above = set(ancestry(change.path))
    for probe in evidence.case.probes + evidence.case.then:
        made = _MAKES.get(probe.operation)
        if probe.operation in {"read", "list", "stat", "connect", "create", "write"} or (
            made and change.change == "added" and change.aspect != made
        ):
            continue
        places = {evidence.place(probe.path)}
        if probe.operation in WITH_OTHER - {"symlink"}:
            places.add(evidence.place(probe.other))
        if places & above:
            return True
    return False


def _permitted(change: Difference, evidence: Evidence) -> bool:
    expectation = evidence.expectation
    if any(path in expectation.fixed for path in ancestry(change.path)):
        return False
    if change.change == "added":
        nearest = next(path for path in ancestry(posixpath.dirname(change.path)) if path in evidence.tree.nodes)
        return nearest in expectation.writable
    if change.change == "removed":
        return {change.path, posixpath.dirname(change.path)} <= expectation.writable
    return change.path in expectation.writable


def _copies(evidence: Evidence) -> Iterator[Finding]:
    """Iterate over the places where denied content lies now and did not before (MASK-7)."""
    for token, real in evidence.tokens.items():
        if real not in evidence.expectation.secret:
            continue
        for path, node in evidence.seen.after.items():
            if token.encode() in node.content and not _same_name(path, real, evidence):
                yield evidence.finding(
                    "leak", f"the content of {evidence.show(real)} stays where it is", "it lies at another name", path
                )


def _same_name(path: str, real: str, evidence: Evidence) -> bool:
    before = evidence.seen.before.get(path)
    return path == real or (before is not None and before.content == evidence.seen.after[path].content)
