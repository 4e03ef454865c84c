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
from boxproof.model.probe import MUTATING, WITH_OTHER
from boxproof.observation import marks
from boxproof.snapshot import Difference

_MAKES: Final = {"mkdir": "folder", "symlink": "link"}
"""What the operations that make a name make; another kind at that name is not theirs."""


def judge_host(evidence: Evidence) -> list[Finding]:
    """Return every change on the host that neither the policy nor the adapter's declaration covers."""
    findings = [finding for change in evidence.seen.changes for finding in _one(change, evidence)]
    return findings + list(_copies(evidence))


def _one(change: Difference, evidence: Evidence) -> Iterator[Finding]:
    if _declared(change.path, evidence) or change.aspect == "time" or _judged_elsewhere(change, evidence):
        return
    by_command = bool(_marks(change, evidence)) or _explained(change, evidence)
    if by_command and _permitted(change, evidence):
        return
    kind: Kind = "escape" if by_command else "host-change"
    who = "by the command" if by_command else "and no probe did it"
    seen = f"{change.change} ({change.aspect}), {who}"
    name = evidence.show(change.path)
    wanted = f"nothing appears at {name}" if change.change == "added" else f"{name} stays as it was"
    yield evidence.finding(kind, wanted, seen, change.path)


def _declared(path: str, evidence: Evidence) -> bool:
    relative = path.removeprefix(f"{evidence.base}/")
    return any(fnmatchcase(relative, pattern) or fnmatchcase(relative, f"{pattern}/*") for pattern in evidence.declared)


def _marks(change: Difference, evidence: Evidence) -> list[int]:
    return list(marks(change.content, evidence.seen.mark)) if change.change != "removed" else []


def _judged_elsewhere(change: Difference, evidence: Evidence) -> bool:
    """Tell whether the change is the work of write probes whose landing is judged with the probes."""
    numbers = _marks(change, evidence)
    return bool(numbers) and all("any" not in evidence.expectation.probes[number].outcomes for number in numbers)


def _explained(change: Difference, evidence: Evidence) -> bool:
    """Tell whether a probe may have made this change: it meant this name, one above it, or one that it made before."""
    above = set(ancestry(change.path))
    mutated = False
    for probe in evidence.case.probes:
        if probe.operation not in MUTATING:
            continue
        made = _MAKES.get(probe.operation)
        if not (made and change.change == "added" and change.aspect != made):
            paths = (probe.path, probe.other) if probe.operation in WITH_OTHER - {"symlink"} else (probe.path,)
            places = {evidence.place(path) for path in paths}
            if places & above or (mutated and not all(places)):
                return True
        mutated = True
    return False


def _permitted(change: Difference, evidence: Evidence) -> bool:
    """Tell whether the policy lets the command do this; the nearest name that the policy speaks of decides."""
    expectation = evidence.expectation
    spoken = expectation.fixed | expectation.writable
    nearest = next((path for path in ancestry(change.path) if path in spoken or path in evidence.tree.nodes), "/")
    if nearest in expectation.fixed or nearest not in expectation.writable:
        return False
    return change.change != "removed" or posixpath.dirname(change.path) in expectation.writable


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
