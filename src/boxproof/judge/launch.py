# SPDX-License-Identifier: MIT
"""How a launch ended, and whether it was allowed to."""

from __future__ import annotations

import re
import signal
from typing import Final, Literal, TypeAlias

from boxproof.judge.evidence import Evidence
from boxproof.model.outcome import Finding, Kind
from boxproof.model.quote import quoted_lines
from boxproof.observation import Observation

Ending: TypeAlias = Literal["ran", "refused", "hang", "crash", "status-lost", "silent"]

_BACKTRACE: Final = re.compile(
    r"Traceback \(most recent call last\)|panicked at|stack backtrace:|^goroutine \d+ \[|^    at .+:\d+:\d+\)?$",
    re.MULTILINE,
)
"""What Python, Rust, Go and JavaScript print when a program has not handled its own error; "Refused" excludes it."""
_LINES: Final = 3
_SIGNALLED: Final = 128


def classify(seen: Observation) -> Ending:
    """Return how a launch ended; the probe's own report comes before any status (architecture, rules 3 and 4)."""
    launch, report = seen.launch, seen.report
    if launch.timed_out:
        return "hang"
    if report.began and report.finished:
        return "ran"
    if report.began or launch.signal is not None:
        return "crash"
    if launch.status == 0 or seen.landed:
        return "status-lost"
    return _refusal(launch.stderr.decode("utf-8", "backslashreplace"))


def reason(evidence: Evidence) -> str:
    """Return the first lines that the helper wrote on stderr, on one line and without this run's own folder."""
    stderr = evidence.seen.launch.stderr.replace(evidence.base.encode(), b"{base}")
    return " | ".join(quoted_lines(stderr)[:_LINES])


def judge_launch(ending: Ending, evidence: Evidence) -> list[Finding]:
    """Return what is wrong with the launch itself."""
    findings = []
    allowed = evidence.expectation.launch
    if ending == "ran":
        if "ran" not in allowed:
            findings.append(evidence.finding("not-refused", "a refusal", "the command ran"))
        findings += _status(evidence)
    elif ending != "refused" or not ("refused" in allowed or evidence.may_refuse):
        kind: Kind = "no-start" if ending == "refused" else ending
        findings.append(evidence.finding(kind, _wanted(evidence), ended(evidence.seen), detail=reason(evidence)))
    if evidence.seen.report.repeated:
        findings.append(evidence.finding("repeated", "the command runs once", "it ran again"))
    if evidence.seen.launch.left:
        left = ", ".join(evidence.seen.launch.left)
        findings.append(evidence.finding("leftover", "no process outlives the helper", f"still running: {left}"))
    return findings


def _refusal(text: str) -> Ending:
    if not text.strip():
        return "silent"
    return "crash" if is_backtrace(text) else "refused"


def is_backtrace(text: str) -> bool:
    """Tell whether a program says that it has not handled its own error."""
    return _BACKTRACE.search(text) is not None


def _status(evidence: Evidence) -> list[Finding]:
    launch, process = evidence.seen.launch, evidence.case.process
    wanted = f"the command's status, {process.status if process else 0}"
    if process and process.dies:
        number = signal.Signals[f"SIG{process.dies}"].value
        wanted = f"SIG{process.dies}, of which the command died, or {_SIGNALLED + number}"
        same = launch.signal == number or launch.status == _SIGNALLED + number
    else:
        same = launch.status == (process.status if process else 0)
    return [] if same else [evidence.finding("status-lost", wanted, ended(evidence.seen), detail=reason(evidence))]


def _wanted(evidence: Evidence) -> str:
    if evidence.expectation.launch == {"refused"}:
        return "a refusal with a reason on stderr"
    refusal = f" (or is refused: {evidence.expectation.why})" if "refused" in evidence.expectation.launch else ""
    return f"the command runs{refusal}"


def ended(seen: Observation) -> str:
    """Return in words how a launch ended."""
    launch = seen.launch
    ran = "the command did not run"
    if seen.report.began or seen.landed:
        ran = "the command ran" if seen.report.finished else "the command was cut short"
    if launch.timed_out:
        return f"{ran}; no end within {launch.seconds:.0f} s"
    if launch.signal is not None:
        return f"{ran}; the helper died of {signal.Signals(launch.signal).name}"
    return f"{ran}; the helper's status is {launch.status}"
