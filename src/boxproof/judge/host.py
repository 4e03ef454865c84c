# SPDX-License-Identifier: MIT
"""What is different on the host, and who may have done it (contract: HOST-1, ESC-3, MASK-4, MASK-7)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

from boxproof.judge.evidence import Evidence
from boxproof.model.access import ancestry
from boxproof.model.names import FARM
from boxproof.model.outcome import Finding, Kind
from boxproof.model.policy import spelled_at
from boxproof.model.probe import MUTATING, WITH_OTHER, Probe
from boxproof.model.resolve import resolve
from boxproof.observation import marks
from boxproof.snapshot import Difference

_CHANGING: Final = MUTATING | {"touch"}
_FOLLOWING: Final = frozenset({"truncate", "chmod", "touch"})
"""Operations that act on what a link in last place leads to."""
_MAKES: Final = {"mkdir": "folder", "symlink": "link"}
"""What the operations that make a name make; another kind at that name is not theirs."""


def judge_host(evidence: Evidence) -> list[Finding]:
    """Return every change on the host that neither the policy nor the adapter's declaration covers."""
    findings = [finding for change in evidence.seen.changes for finding in _one(change, evidence)]
    return findings + list(_copies(evidence))


def _one(change: Difference, evidence: Evidence) -> Iterator[Finding]:
    if is_declared(change.path, evidence) or _rewritten(change, evidence) or _judged_elsewhere(change, evidence):
        return
    written, meant = _is_write(change, evidence), list(_explaining(change, evidence))
    if (written or meant) and _permitted(change, evidence):
        return
    by_command = written or not all(_failed(number, change, evidence) for number in meant)
    if change.aspect == "time" and not by_command:
        return  # times are a RECORD (HOST-1) unless a probe meant to set them (ESC-1)
    kind: Kind = "escape" if by_command else "host-change"
    who = "by the command" if by_command else "and no probe did it"
    seen = f"{change.change} ({change.aspect}), {who}"
    name = evidence.show(change.path)
    wanted = f"nothing appears at {name}" if change.change == "added" else f"{name} stays as it was"
    yield evidence.finding(kind, wanted, seen, change.path)


def _rewritten(change: Difference, evidence: Evidence) -> bool:
    """Tell whether a file that was written anew for a later run, such as the policy, is no more than that."""
    own = change.path.startswith(f"{evidence.base}/files/")
    return own and evidence.case.process is not None and set(change.aspect.split(", ")) <= {"object", "time"}


def is_declared(path: str, evidence: Evidence) -> bool:
    """Tell whether the helper documents that it leaves this."""
    return any(
        fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}/*")
        for name in _below_base(path, evidence)
        for pattern in evidence.declared
    )


def _below_base(path: str, evidence: Evidence) -> Iterator[str]:
    """Iterate over what a declaration may call a path: the caller's temp folder need not be the launch's own."""
    relative = path.removeprefix(f"{evidence.base}/")
    yield relative
    for variable in evidence.case.process.env if evidence.case.process else ():
        name, _, value = variable.partition("=")
        folder = f"{value.replace(FARM, 'farm')}/"
        if name == "TMPDIR" and relative.startswith(folder):
            yield f"tmp/{relative.removeprefix(folder)}"


def _marks(change: Difference, evidence: Evidence) -> list[int]:
    return list(marks(change.content, evidence.seen.mark))


def _judged_elsewhere(change: Difference, evidence: Evidence) -> bool:
    """Tell whether the change is nothing but the work of write probes whose landing is judged with the probes."""
    outcomes = [evidence.expectation.probes[number].outcomes for number in _marks(change, evidence)]
    return _is_write(change, evidence) and all("any" not in one for one in outcomes)


def _is_write(change: Difference, evidence: Evidence) -> bool:
    """Tell whether the change is what a write probe does, no other aspect of the file being touched."""
    plain = change.change == "added" or set(change.aspect.split(", ")) <= {"bytes", "time"}
    return plain and bool(_marks(change, evidence))


def _explaining(change: Difference, evidence: Evidence) -> Iterator[int]:
    """Iterate over the probes that may have made this change: they meant the name, one above, or one made before."""
    names = {name for known in _names(change.path, evidence) for name in ancestry(known)}
    mutated = False
    for number, probe in enumerate(evidence.case.probes):
        if probe.operation not in _CHANGING:
            continue
        made = _MAKES.get(probe.operation)
        if not (made and change.change == "added" and change.aspect != made):
            places = set(_places(probe, evidence))
            if places & names or (mutated and "" in places):
                yield number
        mutated = True


def _failed(number: int, change: Difference, evidence: Evidence) -> bool:
    """Tell whether a probe says that it could not do what it was to do, and has not done a part of it either.

    What lies at its name then is a mount point, say. Across mounts mv(1) copies a file before it fails to remove it.
    """
    probe, said = evidence.case.probes[number], evidence.seen.report.answers.get(number)
    if said is None or said.ok is not False:
        return False
    if probe.operation != "rename":
        return True
    source = evidence.seen.before.get(evidence.place(probe.path))
    if source is None or source.kind != "file":
        return False
    return change.change == "added" and change.content != source.content


def _names(path: str, evidence: Evidence) -> Iterator[str]:
    """Iterate over the names that the inode at `path` had at launch, and where second mounts show them."""
    yield from {path, evidence.tree.origin(path) if evidence.nearest(path) != "/" else path}
    before = evidence.seen.before.get(path)
    if before is not None and before.kind == "file":
        yield from (other for other, node in evidence.seen.before.items() if node.identity == before.identity)


def _places(probe: Probe, evidence: Evidence) -> Iterator[str]:
    """Iterate over the canonical names that a probe means to change, ``""`` for one that was not there at launch."""
    paths = (probe.path, probe.other) if probe.operation in WITH_OTHER - {"symlink"} else (probe.path,)
    for path in paths:
        place = evidence.place(path)
        yield from {place, evidence.tree.origin(place) if place else ""}
        if probe.operation in _FOLLOWING:
            yield resolve(evidence.tree, spelled_at(path, evidence.tree.farm)).real


def _permitted(change: Difference, evidence: Evidence) -> bool:
    """Tell whether the policy lets the command do this; the nearest name that the policy speaks of decides."""
    return any(_permits(name, change, evidence) for name in _names(change.path, evidence))


def _permits(name: str, change: Difference, evidence: Evidence) -> bool:
    fixed, writable = evidence.expectation.fixed, evidence.expectation.writable
    nearest = next((path for path in ancestry(name) if path in fixed or path in evidence.tree.nodes), "/")
    if nearest in fixed or nearest not in writable:
        return False
    return change.change != "removed" or posixpath.dirname(name) in writable


def _copies(evidence: Evidence) -> Iterator[Finding]:
    """Iterate over the places where denied content lies now and did not before (MASK-7)."""
    for token, real in evidence.tokens.items():
        if real not in evidence.expectation.secret:
            continue
        content = token.encode()
        for path, node in evidence.seen.after.items():
            if content in node.content and not _same_name(path, real, evidence):
                yield evidence.finding(
                    "leak", f"the content of {evidence.show(real)} stays where it is", "it lies at another name", path
                )


def _same_name(path: str, real: str, evidence: Evidence) -> bool:
    before = evidence.seen.before.get(path)
    return path == real or (before is not None and before.content == evidence.seen.after[path].content)
