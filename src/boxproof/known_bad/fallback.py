# SPDX-License-Identifier: MIT
"""What is done where the host lacks something, and should not be (FALL-1 to FALL-8)."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

from boxproof.reference.bwrap import find, trusted
from boxproof.reference.diagnosis import STEPS, first_failure
from boxproof.reference.launch import Job, Watch, run
from boxproof.reference.main import Options, launch, told
from boxproof.reference.preflight import preflight
from boxproof.reference.processes import TICK
from boxproof.reference.refusal import Refused
from boxproof.reference.refuse import writable_program
from boxproof.reference.spawn import restore_signals
from boxproof.reference.walk import Walk

from .entry import replaces

_LANDLOCK_CREATE_RULESET = 444
_ASKED_VERSION = 1
_YOUNG = b"0.4"


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
    related=("FALL-1", "FALL-4", "FALL-5", "FALL-6", "FALL-8", "RACE-1"),
    mimics="BaseIntelligence/bounty-challenge#53056",
)
def unsandboxed_on_failure(job: Job, mask: set[int], lifeline: int) -> int:
    """If the sandbox does not start, the command is run without one."""
    try:
        return run(job, mask, lifeline)
    except Refused:
        os.execvpe(job.command[0], job.command, job.environment)  # noqa: S606 - this is the fault


@replaces(find, caught="FALL-2", mimics="a first way to confine whose absence ends the search")
def other_engine_never_tried(asked: bytes, search_path: bytes, view: dict[bytes, str]) -> bytes:
    """Without Landlock the start is refused, although bwrap would do."""
    if not has_landlock():
        raise Refused("Landlock", "not supported by this kernel", "use a newer kernel")
    return find(asked, search_path, view)


def has_landlock() -> bool:
    """Ask the kernel for its Landlock version."""
    import ctypes  # noqa: PLC0415 - as the reference does, where it is needed

    return bool(ctypes.CDLL(None).syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _ASKED_VERSION) > 0)


@replaces(run, caught="FALL-4", mimics="a network namespace that is left out where there is none")
def network_shared_in_silence(job: Job, mask: set[int], lifeline: int) -> int:
    """Where no network namespace is to be had, the command gets the host's network, and nobody is told."""
    step, error = first_failure()
    if error == errno.ENOSPC and "network" in STEPS[step][0] and not job.network:
        job.network = True
        job.arguments.remove(b"--unshare-net")
    return run(job, mask, lifeline)


@replaces(find, caught="FALL-8", mimics="a bwrap that is found wanting, without a word about what it lacks")
def old_bwrap_unexplained(asked: bytes, search_path: bytes, view: dict[bytes, str]) -> bytes:
    """A bwrap that is too old is refused, and the reason names neither an option nor a version."""
    program = find(asked, search_path, view)
    try:
        said = subprocess.run([program, b"--version"], capture_output=True, timeout=1, check=False).stdout
    except subprocess.TimeoutExpired:
        return program
    if said and said.split()[-1] < _YOUNG:
        raise Refused("bwrap", "not suitable", "ask your administrator for another one")
    return program


@replaces(
    told,
    caught="FALL-1",
    related=("BIND", "MASK", "ESC-4", "CONF-1", "HOST-1", "PROC-3", "FALL-5", "FALL-6"),
    mimics="openai/codex#46246",
)
def exits_zero_when_refused(refused: Refused) -> int:
    """A refusal ends with status 0."""
    told(refused)
    return 0


@replaces(
    told,
    caught="FALL-1",
    related=("BIND", "MASK", "ESC-4", "CONF-1", "HOST-1"),
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


@replaces(Watch.patience, caught="FALL-6", related=("PROC-6",), mimics="openai/codex#19828")
def no_deadline(watch: Watch) -> float | None:
    """A bwrap that hangs is waited for without end, and so is a command that ignores SIGTERM."""
    return TICK if watch.init and not watch.gate.is_open else None


@replaces(trusted, caught="FALL-7", mimics="openai/codex#15282")
def trusts_any_bwrap(_way: Walk, _allowed: set[int]) -> None:
    """A bwrap is used although others may replace it."""


@replaces(writable_program, caught="FALL-7", mimics="openai/codex#15282")
def trusts_writable_bwrap(_way: Walk, _view: dict[bytes, str]) -> None:
    """A bwrap is used that the policy lets the command replace."""


@replaces(launch, caught="FALL-1", related=("FALL-3", "FALL-5"), mimics="NVIDIA/OpenShell#584")
def landlock_best_effort(options: Options, mask: set[int]) -> int:
    """Without Landlock the command is run without a sandbox, and --check says that all is well."""
    if has_landlock():
        return launch(options, mask)
    if not options.check:
        restore_signals(mask)
        os.execvp(options.command[0], options.command)  # noqa: S606 - this is the fault
    return 0
