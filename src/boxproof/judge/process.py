# SPDX-License-Identifier: MIT
"""What the command says of itself against what its caller had, and against what it has without the helper (PROC).

What cannot be seen without the helper either proves nothing: a descriptor must have been passed, a listener reached.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from boxproof.judge.evidence import Evidence
from boxproof.judge.launch import ended, is_backtrace, reason
from boxproof.model.outcome import Finding, Judgement, Verdict
from boxproof.model.process import CONTACTS, Asked
from boxproof.observation import Observation
from boxproof.probe.facts import Facts

_SETS: Final = ("CapEff", "CapPrm", "CapAmb")
_FILES: Final[Mapping[Asked, str]] = {
    "capabilities": "status",
    "no-new-privs": "status",
    "ignored": "status",
    "blocked": "status",
    "descriptors": "descriptors",
    "streams": "streams",
    "processes": "processes",
    "limits": "limits",
}
_ROWS: Final[Mapping[Asked, Sequence[str]]] = {
    "capabilities": _SETS,
    "no-new-privs": ("NoNewPrivs",),
    "ignored": ("SigIgn",),
    "blocked": ("SigBlk",),
}
"""Rows of /proc/self/status, each a hexadecimal number (proc_pid_status(5))."""
_STATUSES: Final[Mapping[str, int]] = {"missing": 127, "not-executable": 126, "folder": 126}


def untold(evidence: Evidence) -> str:
    """Return what the command should have said without the helper and did not, or ``""``."""
    process, control = evidence.case.process, evidence.control
    if process is None or control.facts is None:
        return ""
    if control.launch.status != process.status and not process.dies:
        return f"without the helper the command ends with {control.launch.status} instead of {process.status}"
    missing = [word for word in process.asks if not _told(word, evidence)]
    if missing:
        return f"without the helper the command tells nothing of {', '.join(missing)}"
    if process.echoes and _stream(control, process.echoes) != evidence.payload:
        return "without the helper the command does not copy its input"
    return ""


def unknown(evidence: Evidence) -> str:
    """Return what the command could not find out inside, or ``""``."""
    process, facts = evidence.case.process, evidence.seen.facts
    if process is None or facts is None:
        return ""
    hidden = [word for word in process.asks if word in _FILES and _is_hidden(word, facts)]
    return f"the sandbox shows no or half a /proc, so the command cannot tell {', '.join(hidden)}" if hidden else ""


def judge_process(evidence: Evidence) -> list[Finding]:
    """Return what is wrong with what the command was, had, read and wrote."""
    process, facts = evidence.case.process, evidence.seen.facts
    if process is None or facts is None:
        return []
    findings = [finding for word in process.asks for finding in _ASKS[word](word, facts, evidence)]
    findings += _same_bytes("arguments", facts, evidence)
    return findings + list(_streams_through(evidence))


def judge_command(evidence: Evidence) -> Judgement:
    """Return the verdict on a command that cannot be executed (PROC-3)."""
    process, launch = evidence.case.process, evidence.seen.launch
    assert process is not None  # noqa: S101 - the caller has looked
    if launch.exec_error:
        return Judgement(Verdict.ERROR, reason=f"the helper could not be started: {launch.exec_error}")
    findings = []
    if launch.timed_out:
        findings.append(evidence.finding("hang", "an end within the deadline", ended(evidence.seen)))
    elif launch.status == 0:
        findings.append(evidence.finding("status-lost", "a status that is not 0", ended(evidence.seen)))
    elif evidence.case.level == "SHOULD":
        findings += _as_a_shell(_STATUSES[process.command], evidence)
    verdict = Verdict.FAIL if findings else Verdict.PASS
    return Judgement(verdict, tuple(findings), launch="refused" if launch.status else "")


def _as_a_shell(status: int, evidence: Evidence) -> Iterator[Finding]:
    said = evidence.seen.launch.stderr.decode("utf-8", "backslashreplace")
    if is_backtrace(said):
        yield evidence.finding("crash", "no backtrace", ended(evidence.seen), detail=reason(evidence))
    if evidence.seen.launch.status != status:
        wanted = f"status {status}, as a shell gives"
        yield evidence.finding("status-lost", wanted, ended(evidence.seen), detail=reason(evidence))


def _told(word: Asked, evidence: Evidence) -> bool:
    """Tell whether the control shows that the question can be answered."""
    control, process = evidence.control, evidence.case.process
    if control.facts is None or process is None:
        return False
    if word in CONTACTS:
        return control.arrived.get(word, 0) > 0
    if word == "descriptors":
        return set(process.passes) <= set(map(int, filter(str.isdigit, control.facts.lines(word))))
    if word == "processes":
        return "seen" in control.facts.lines(word)
    return _FILES.get(word, word) in control.facts.known and _has_rows(word, control.facts)


def _is_hidden(word: Asked, facts: Facts) -> bool:
    return facts.is_unknown(_FILES[word]) or not _has_rows(word, facts)


def _has_rows(word: Asked, facts: Facts) -> bool:
    """Tell whether each row of the status that the question needs is a number: a missing one is not a zero."""
    values = [facts.row("status", name) for name in _ROWS.get(word, ())]
    return all(value and set(value) <= set(string.hexdigits) for value in values)


def _capabilities(word: Asked, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    del word
    had = evidence.control.facts or facts
    for name in _SETS:
        held = int(facts.row("status", name), 16)
        # without a user namespace of its own a helper cannot but leave root what root has
        more = held if evidence.isolates else held & ~int(had.row("status", name), 16)
        if more:
            yield evidence.finding("privileged", f"{name} is empty", f"it holds {more:#x}")


def _no_new_privs(word: Asked, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    del word
    if facts.row("status", "NoNewPrivs") != "1":
        yield evidence.finding("privileged", "no_new_privs is set", "a set-user-ID program would gain privileges")


def _processes(word: Asked, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    if count := facts.lines(word).count("seen"):
        yield evidence.finding("privileged", "no process of the host is in /proc", f"{count} of ours are")


def _contact(word: Asked, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    del facts
    count = evidence.seen.arrived.get(word, 0)
    if count and not evidence.case.policy.network:
        yield evidence.finding("network", f"nothing reaches a listener of the host ({word})", f"{count} arrived")
    if not count and evidence.case.policy.network:
        yield evidence.finding("overblock", f"a listener of the host is reached ({word})", "nothing arrived")


def _descriptors(word: Asked, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    if found := [line for line in facts.lines(word) if line.isdigit()]:
        yield evidence.finding("inherited", "no descriptor beyond 0, 1 and 2 is open", f"open: {', '.join(found)}")


def _streams(word: Asked, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    closed = evidence.case.process.closed if evidence.case.process else ()
    states = dict(line.split(" ", 1) for line in facts.lines(word) if " " in line)
    for number in closed:
        if states.get(str(number)) not in {"closed", "device"}:
            wanted = f"descriptor {number}, closed by the caller, is closed or a null device"
            yield evidence.finding("inherited", wanted, f"it is {states.get(str(number), 'unknown')}")


def _signals(word: Asked, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    row = {"ignored": "SigIgn", "blocked": "SigBlk"}[word]
    before, now = (evidence.control.facts or facts).row("status", row), facts.row("status", row)
    if before != now:
        yield evidence.finding("altered", f"{word} signals are the caller's, {before}", f"they are {now}")


def _same(word: Asked, facts: Facts, evidence: Evidence) -> Iterator[Finding]:
    yield from _same_bytes(word, facts, evidence)


def _same_bytes(word: str, facts: Facts, evidence: Evidence) -> list[Finding]:
    had = evidence.control.facts or facts
    if facts.known.get(word) == had.known.get(word):
        return []
    before, now = had.lines(word), facts.lines(word)
    differing = [(one, other) for one, other in zip(before, now, strict=False) if one != other]
    wanted, seen = differing[0] if differing else (f"{len(before)} lines", f"{len(now)} lines")
    return [evidence.finding("altered", f"{word}, as the caller had it: {wanted!r}", f"{seen!r}")]


_ASKS: Final[Mapping[Asked, Callable[[Asked, Facts, Evidence], Iterator[Finding]]]] = {
    "capabilities": _capabilities,
    "no-new-privs": _no_new_privs,
    "processes": _processes,
    "tcp": _contact,
    "udp": _contact,
    "abstract": _contact,
    "descriptors": _descriptors,
    "streams": _streams,
    "ignored": _signals,
    "blocked": _signals,
    "umask": _same,
    "limits": _same,
    "environment": _same,
    "arguments": _same,
    "cwd": _same,
}


def _streams_through(evidence: Evidence) -> Iterator[Finding]:
    """Iterate over what is wrong with the bytes that passed through the helper (PROC-2)."""
    process, seen = evidence.case.process, evidence.seen
    if process is None or seen.facts is None or evidence.case.requirement != "PROC-2":
        return
    if process.echoes and evidence.payload not in _stream(seen, process.echoes):
        got = len(_stream(seen, process.echoes))
        wanted = f"the {len(evidence.payload)} bytes of standard input on {process.echoes}"
        yield evidence.finding("altered", wanted, f"{got} bytes, not these")
    if evidence.case.level != "SHOULD":
        return
    for name in ("stdout", "stderr"):
        own = _stream(seen, name).replace(evidence.payload, b"", 1) if process.echoes == name else _stream(seen, name)
        if own:
            shown = own[:80].decode("utf-8", "backslashreplace")
            yield evidence.finding("stream-dirty", f"nothing but the command's bytes on {name}", f"{shown!r}")


def _stream(seen: Observation, name: str) -> bytes:
    """Return what came on a stream and is neither the probe's nor a fact."""
    on_stderr = seen.facts is not None and name == "stderr"
    return seen.launch.stderr if on_stderr else seen.report.extra
