# SPDX-License-Identifier: MIT
"""What is done where the host lacks something, and should not be (FALL-1 to FALL-8)."""

from __future__ import annotations

import os
import sys

from boxproof.reference.bwrap import find, trusted
from boxproof.reference.launch import Job, Watch, run
from boxproof.reference.main import told
from boxproof.reference.preflight import preflight
from boxproof.reference.processes import TICK
from boxproof.reference.refusal import Refused
from boxproof.reference.refuse import writable_program
from boxproof.reference.walk import Walk

from .entry import replaces


@replaces(find, caught="FALL-1", related=("FALL-5", "FALL-7"), mimics="anthropics/claude-code#34044")
def unsandboxed_fallback(asked: bytes, search_path: bytes, view: dict[bytes, str]) -> bytes:
    """Without a bwrap the command is run without a sandbox."""
    try:
        return find(asked, search_path, view)
    except Refused:
        words = sys.argv[sys.argv.index("--") + 1 :]
        os.execvp(words[0], words)  # noqa: S606 - this is the fault


@replaces(
    run,
    caught="FALL-3",
    related=("FALL-1", "FALL-4", "FALL-5", "FALL-6", "FALL-8"),
    mimics="BaseIntelligence/bounty-challenge#53056",
)
def unsandboxed_on_failure(job: Job, mask: set[int], lifeline: int) -> int:
    """If the sandbox does not start, the command is run without one."""
    try:
        return run(job, mask, lifeline)
    except Refused:
        os.execvpe(job.command[0], job.command, job.environment)  # noqa: S606 - this is the fault


@replaces(
    told,
    caught="FALL-1",
    related=("BIND", "MASK", "ESC-4", "CONF-1", "FALL-5", "FALL-6"),
    mimics="openai/codex#46246",
)
def exits_zero_when_refused(refused: Refused) -> int:
    """A refusal ends with status 0."""
    told(refused)
    return 0


@replaces(
    told,
    caught="FALL-1",
    related=("BIND", "MASK", "ESC-4", "CONF-1"),
    mimics="a refusal that only a log file tells of",
)
def silent_refusal(refused: Refused) -> int:
    """A refusal gives no reason."""
    return refused.status


@replaces(preflight, caught="FALL-5", mimics="Cursor forum: preflight fails with 101")
def preflight_own_status(job: Job, mask: set[int], lifeline: int) -> int:
    """A refusal by --check has another status than one by a run."""
    try:
        return preflight(job, mask, lifeline)
    except Refused as refused:
        raise Refused(refused.what, refused.why, refused.advice, 101) from refused


@replaces(Watch.patience, caught="FALL-6", mimics="openai/codex#19828")
def no_deadline(watch: Watch) -> float | None:
    """A bwrap that hangs is waited for without end."""
    return TICK if watch.init and not watch.gate.is_open else None


@replaces(trusted, caught="FALL-7", mimics="openai/codex#15282")
def trusts_any_bwrap(_way: Walk, _allowed: set[int]) -> None:
    """A bwrap is used although others may replace it."""


@replaces(writable_program, caught="FALL-7", mimics="openai/codex#15282")
def trusts_writable_bwrap(_way: Walk, _view: dict[bytes, str]) -> None:
    """A bwrap is used that the policy lets the command replace."""
