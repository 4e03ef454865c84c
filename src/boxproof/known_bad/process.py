# SPDX-License-Identifier: MIT
"""Bad parents: statuses, streams, descriptors, capabilities, signals (PROC-1 to PROC-7)."""

from __future__ import annotations

import os
import signal
import traceback

from boxproof.reference.command import check
from boxproof.reference.descriptors import keep_private
from boxproof.reference.launch import Job, Watch, start
from boxproof.reference.limits import restore
from boxproof.reference.main import Options, as_given, launch, told
from boxproof.reference.plan import Plan, foundation
from boxproof.reference.policyfile import Policy, load
from boxproof.reference.refusal import Refused
from boxproof.reference.signals import RELAYED
from boxproof.reference.spawn import restore_signals
from boxproof.reference.view import RO
from boxproof.reference.walk import Walk

from .entry import replaces

VERDICT = Watch.verdict
NOTE = Watch.note
_SIGNALLED = 128


@replaces(Watch.verdict, caught="PROC-1", mimics="openlab-aux/vuizvui#23")
def swallows_status(watch: Watch, ended: int) -> int:
    """Whatever the command's status is, the helper's is 0."""
    VERDICT(watch, ended)
    return 0


@replaces(Watch.verdict, caught="PROC-1", mimics="a status that is taken for a truth value")
def status_collapsed(watch: Watch, ended: int) -> int:
    """Every status but 0 becomes 1."""
    return min(VERDICT(watch, ended), 1)


@replaces(Watch.verdict, caught="PROC-1", mimics="a death by signal that is told as a failure")
def signal_lost(watch: Watch, ended: int) -> int:
    """Death by a signal is told as status 1."""
    status = VERDICT(watch, ended)
    return 1 if _SIGNALLED < status < _SIGNALLED + signal.NSIG else status


@replaces(Watch.verdict, caught="PROC-1", mimics="a status that is kept in seven bits")
def status_in_seven_bits(watch: Watch, ended: int) -> int:
    """Statuses above 127 lose their highest bit."""
    return VERDICT(watch, ended) & 0x7F


@replaces(launch, caught="PROC-2", mimics="a wrapper that says what it does")
def chatters(options: Options, mask: set[int]) -> int:
    """A line of the helper's own comes before the command's output."""
    os.write(1, b"sandbox: starting\n")
    return launch(options, mask)


@replaces(start, caught="PROC-2", mimics="a command that is never asked anything")
def stdin_lost(job: Job, own: list[bytes], mask: set[int]) -> int:
    """The command's standard input is empty."""
    job.moved.setdefault(0, os.open("/dev/null", os.O_RDONLY))
    return start(job, own, mask)


@replaces(
    told,
    caught="PROC-3",
    related=("BIND", "MASK", "ESC-4", "CONF-1", "HOST-1", "FALL-1"),
    mimics="openai/codex#20716",
)
def backtrace(refused: Refused) -> int:
    """A refusal is a backtrace, and its status 101."""
    traceback.print_exception(type(refused), refused, refused.__traceback__)
    return 101


@replaces(check, caught="PROC-3", mimics="a command that is looked for too late")
def missing_command_unnamed(_command: bytes, _search_path: bytes, _plan: Plan) -> None:
    """A missing command is not told from a sandbox that did not start."""


@replaces(load, caught="PROC-4", related=("FALL-4",), mimics="a network switch that is ignored")
def network_kept(name: bytes) -> Policy:
    """The host's network is there whatever the policy says."""
    policy = load(name)
    policy.network = True
    return policy


@replaces(foundation, caught="PROC-4", mimics="openai/codex#44304")
def host_processes_shown(policy: Policy, system: list[Walk], private: dict[bytes, str]) -> dict[bytes, str]:
    """The host's /proc is bound in place of a new one."""
    return {**foundation(policy, system, private), b"/proc": RO}


@replaces(keep_private, caught="PROC-5", mimics="bwrap, which passes on what it inherits")
def leaks_descriptor() -> None:
    """Descriptors that the caller has open reach the command."""


@replaces(Watch.note, caught="PROC-6", mimics="containers/bubblewrap#105")
def term_ignored(watch: Watch, number: int) -> None:
    """A SIGTERM to the helper changes nothing."""
    if number != signal.SIGTERM:
        NOTE(watch, number)


@replaces(Watch.end_soon, caught="PROC-6", mimics="RisorseArtificiali/lince#274")
def term_only_relayed(_watch: Watch) -> None:
    """A command that ignores SIGTERM keeps the helper from ending."""


@replaces(restore, caught="PROC-7", mimics="a limit that the helper raised for itself")
def limit_stays_raised(_limits: tuple[int, int] | None) -> None:
    """The command gets the helper's own limit of open files."""


@replaces(restore_signals, caught="PROC-7", mimics="a parent in Python")
def sigpipe_ignored(mask: set[int]) -> None:
    """The command inherits that SIGPIPE is ignored."""
    for number in RELAYED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@replaces(start, caught="PROC-7", mimics="a helper that protects its own files")
def umask_closed(job: Job, own: list[bytes], mask: set[int]) -> int:
    """The command gets the helper's own umask."""
    os.umask(0o077)
    return start(job, own, mask)


@replaces(as_given, caught="PROC-7", mimics="anthropics/claude-code#10952")
def environment_trimmed(environment: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """Of the environment only PATH and HOME reach the command."""
    return {name: environment[name] for name in (b"PATH", b"HOME") if name in environment}
