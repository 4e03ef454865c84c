# SPDX-License-Identifier: MIT
"""Traces on the host: files, placeholders, processes (HOST-1 to HOST-4)."""

from __future__ import annotations

import atexit
import contextlib
import os
import time
from collections.abc import Callable

from boxproof.reference.launch import Job, at_end, run
from boxproof.reference.main import Options, as_given, launch
from boxproof.reference.mountinfo import Mounts
from boxproof.reference.plan import Plan, make
from boxproof.reference.policyfile import Policy, load
from boxproof.reference.survivor import behind
from boxproof.reference.workfolder import sweep

from .entry import replaces
from .missing import make_placeholder

MONITORING = 60.0
"""Seconds for which a process that was left behind stays."""
_EVERY_FARM = ("START", "BIND", "NEST", "MASK", "ESC", "NAME", "CONF", "HOST", "PROC", "FALL")
"""Areas whose cases all see a change outside of what a run may write."""


@replaces(
    load,
    caught="HOST-1",
    related=_EVERY_FARM,
    mimics="a policy file that is taken for the helper's own temp file",
)
def policy_file_deleted(name: bytes) -> Policy:
    """The policy file is removed once it is read."""
    policy = load(name)
    os.unlink(name)
    return policy


@replaces(
    as_given,
    caught="HOST-1",
    related=_EVERY_FARM,
    mimics="openai/codex#17625",
)
def file_left_in_home(environment: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """Each run leaves a file of its own in the home folder."""
    with contextlib.suppress(OSError), open(b"%s/.run-%d" % (environment.get(b"HOME", b""), os.getpid()), "wb"):
        pass
    return as_given(environment)


@replaces(sweep, caught="HOST-2", mimics="openai/codex#18446")
def never_sweeps(_place: bytes) -> None:
    """What a killed run has left in a temp folder stays there for ever."""


@replaces(launch, caught="HOST-2", related=("HOST-4",), mimics="a lock that outlives its holder")
def lock_left_by_kill(options: Options, mask: set[int]) -> int:
    """A lock in the home folder is given up at the end, and stays there when the helper is killed."""
    lock = b"%s/.lock-%d" % (os.environb.get(b"HOME", b""), os.getpid())
    with contextlib.suppress(OSError), open(lock, "xb"):
        pass
    try:
        return launch(options, mask)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(lock)


@replaces(
    run,
    caught="HOST-3",
    related=_EVERY_FARM,
    mimics="RisorseArtificiali/lince#274",
)
def monitor_left_behind(job: Job, mask: set[int], lifeline: int) -> int:
    """A process that watches the sandbox outlives it."""
    if os.fork() == 0:
        os.closerange(0, os.sysconf("SC_OPEN_MAX"))
        time.sleep(MONITORING)
        os._exit(0)
    return run(job, mask, lifeline)


@replaces(at_end, caught="HOST-3", mimics="containers/bubblewrap#105")
def keeps_child_after_kill(_lifeline: int) -> bool:
    """The command runs on when the helper is killed."""
    return False


@replaces(behind, caught="HOST-3", mimics="bwrap, which asks late to die with its parent")
def no_second_process(work: Callable[[int], int], _mask: set[int]) -> int:
    """Nobody is left to end what bwrap is about to start when the helper is killed."""
    lifeline, _held = os.pipe()
    os.set_blocking(lifeline, False)
    return work(lifeline)


@replaces(make, caught="HOST-4", related=("HOST-2",), mimics="anthropics/claude-code#17087")
def placeholder_while_running(policy: Policy, mounts: Mounts, tmpdir: bytes) -> Plan:
    """A denied name that does not exist is made on the host, and removed after the run unless the helper is killed."""
    plan = make(policy, mounts, tmpdir)
    for name in plan.reserved:
        make_placeholder(name)
        atexit.register(os.unlink, name)
    plan.reserved.clear()
    return plan
