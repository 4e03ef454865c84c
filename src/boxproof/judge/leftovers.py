# SPDX-License-Identifier: MIT
"""What a helper leaves, or shows while it runs, beside what the command did (HOST, PROC-6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from attrs import evolve, frozen

from boxproof.judge.evidence import Evidence
from boxproof.judge.host import is_declared, judge_host
from boxproof.judge.launch import ended
from boxproof.judge.probes import judge_probes
from boxproof.model.outcome import SECURITY, Finding
from boxproof.model.process import Process
from boxproof.observation import Observation
from boxproof.snapshot import Snapshot

_FILES = "files/"


@frozen
class Interrupted:
    """A helper that was sent a signal.

    Args:
        at: seconds after the start, or after the command had said that it waits.
        call: the system call at which instead, such as ``prctl 2``, or ``""``.
    """

    seen: Observation
    at: float = 0.0
    call: str = ""

    @property
    def moment(self) -> str:
        """The moment, to be read between the signal and what it is measured from."""
        return self.call or f"{self.at * 1000:.1f}"


def judge_interrupted(launches: Sequence[tuple[Evidence, Interrupted]], process: Process) -> list[Finding]:
    """Return what interrupted helpers left, told once for all moments at which it happened."""
    found: dict[tuple[str, str, str], list[tuple[Finding, str]]] = {}
    for evidence, one in launches:
        for finding in _of_one(evidence, process):
            found.setdefault((finding.kind, finding.path, finding.expected), []).append((finding, one.moment))
    return [_counted(group, process, len(launches)) for group in found.values()]


def judge_growth(evidence: Evidence, runs: Sequence[Observation], shared: Sequence[frozenset[str]]) -> list[Finding]:
    """Return what every run after the first adds to what was there: declared leftovers, shared memory."""
    findings = []
    if added := _grows([_declared(run.after, evidence) for run in runs]):
        wanted = "declared leftovers do not grow from run to run"
        findings.append(evidence.finding("host-change", wanted, f"each run adds some, such as {evidence.show(added)}"))
    if added := _grows(shared[1:]):
        wanted = "no shared memory, semaphore or queue outlives the helper"
        findings.append(evidence.finding("leftover", wanted, f"each run leaves some, such as {added}"))
    return findings


def judge_outlived(evidence: Evidence, before: frozenset[str], after: frozenset[str]) -> list[Finding]:
    """Return the mounts that were not there before."""
    return [
        evidence.finding("leftover", "no mount outlives the helper", f"still mounted: {mount}")
        for mount in sorted(after - before)
    ]


def judge_watched(evidence: Evidence, during: Snapshot) -> list[Finding]:
    """Return what the host shows while the command waits; in the farm a placeholder is one, declared or not."""
    declared = tuple(pattern for pattern in evidence.declared if not pattern.startswith("farm/"))
    watched = evolve(evidence, seen=evolve(evidence.seen, after=during), declared=declared)
    return [
        evolve(finding, seen=f"while the command runs: {finding.seen}")
        for finding in judge_host(watched)
        if finding.kind == "host-change"
    ]


def _of_one(evidence: Evidence, process: Process) -> Iterator[Finding]:
    """Iterate over what one helper did when it was interrupted; what is left after SIGKILL may go with the next run."""
    launch = evidence.seen.launch
    requirement = evidence.case.requirement
    yield from (finding for finding in judge_probes(evidence) if finding.kind in SECURITY)
    if launch.timed_out and requirement != "PROC-6":
        return  # what it would have left had it ended by itself is not known
    if launch.timed_out:
        yield evidence.finding("hang", f"SIG{process.signal} ends the helper and the command", ended(evidence.seen))
    if launch.left and requirement in {"HOST-3", "PROC-6"}:
        yield evidence.finding("leftover", "no process outlives the helper", _without_numbers(launch.left))
    if process.signal != "KILL" and requirement == "HOST-1":
        yield from judge_host(evidence)


def _without_numbers(left: Iterable[str]) -> str:
    names = sorted({command.partition(" ")[2].split(" ")[0] for command in left})
    return f"still running: {', '.join(names)}"


def _counted(group: Sequence[tuple[Finding, str]], process: Process, launches: int) -> Finding:
    finding = group[0][0]
    moments = ", ".join(moment for _, moment in group[:5])
    after = {"starting": " ms after the start", "calling": ""}.get(process.moment, " ms after the command waits")
    sent = f"SIG{process.signal} {'at ' if process.moment == 'calling' else ''}{moments}{after}"
    return evolve(finding, seen=f"{finding.seen}; {len(group)} of {launches} times ({sent})")


def _grows(states: Sequence[frozenset[str]]) -> str:
    """Return something that the last run added, where every run but the first added something; ``""`` otherwise."""
    added = [after - before for before, after in pairwise(states)]
    return min(added[-1]) if added and all(added) else ""


def _declared(after: Snapshot, evidence: Evidence) -> frozenset[str]:
    # each run has a new policy file
    own = f"{evidence.base}/{_FILES}"
    return frozenset(path for path in after if is_declared(path, evidence) and not path.startswith(own))
