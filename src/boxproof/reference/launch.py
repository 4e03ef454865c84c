# SPDX-License-Identifier: MIT
"""Start bwrap, look at what it made, let the command in, and pass its status on (RACE-1, PROC-1, PROC-6, FALL-6)."""

from __future__ import annotations

import os
import signal
import time

from . import processes, verify
from .descriptors import inheritable
from .gate import Gate
from .plan import Plan
from .refusal import Refused
from .signals import Inbox
from .spawn import Program, spawn
from .statusrecords import Records

START_DEADLINE = 4.0
"""Seconds until bwrap must have made the sandbox of an ordinary policy; one that hangs is given up then."""

START_PER_ARGUMENT = 0.01
"""Seconds more for each argument, because a mount takes bwrap longer the more there are."""

GRACE = 1.0
"""Seconds that the command has to end after a SIGTERM, or a SIGINT that it ignores, before everything is killed."""

OWN_OPTIONS = (b"--args", b"--json-status-fd", b"--seccomp")
"""Options of bwrap that do not come from the plan; the first two are its youngest, of 2018."""

MAX_ARGUMENTS = 8900
"""bwrap ends above 9000 arguments of its own and the command's together."""


class Job:
    """One start of bwrap.

    Attributes:
        program: canonical path of bwrap.
        arguments: its arguments, without those of gate and records.
        command: the command's argument vector.
        environment: the command's environment, whole.
        plan: what the sandbox has to show before the command is let in.
        network: whether the command shares the host's network.
        limits: the caller's limits of open descriptors, where this process has others.
        moved: descriptors that bwrap and the command get in other places, by their new number.
    """

    __slots__ = ("arguments", "command", "environment", "limits", "moved", "network", "plan", "program")

    def __init__(self, program: bytes, command: list[bytes], environment: dict[bytes, bytes], plan: Plan) -> None:
        self.program = program
        self.arguments: list[bytes] = []
        self.command = command
        self.environment = environment
        self.plan = plan
        self.network = False
        self.limits: tuple[int, int] | None = None
        self.moved: dict[int, int] = {}


def run(job: Job, mask: set[int], lifeline: int) -> int:
    """Run the job to its end and give the command's status.

    `mask` is the caller's signal mask; `lifeline` shows the end of the file when nobody waits for the status any more.

    Raises:
        Refused: the command was not run.
    """
    backend = Backend(job)
    backend.pid = start(job, backend.arguments(), mask)
    backend.hand_over()
    watch = Watch(job, backend, Inbox(mask))
    try:
        return watch.verdict(watch.to_the_end(lifeline))
    finally:
        if watch.ended is None:
            watch.give_up()


class Backend:
    """One running bwrap.

    Attributes:
        pid: its process id.
        records: what it reports.
        gate: what it waits for before it starts the command.
        deadline: until when it must have made the sandbox.
    """

    __slots__ = ("_writing", "deadline", "gate", "pid", "records")

    def __init__(self, job: Job) -> None:
        reading, self._writing = os.pipe()
        os.set_blocking(reading, False)
        self.pid = 0
        self.records = Records(reading)
        self.gate = Gate()
        self.deadline = time.monotonic() + START_DEADLINE + START_PER_ARGUMENT * len(job.arguments)

    def arguments(self) -> list[bytes]:
        """The arguments that make it report and wait."""
        return [b"--json-status-fd", b"%d" % inheritable(self._writing), *self.gate.arguments()]

    def hand_over(self) -> None:
        """Close what is bwrap's alone, once it runs."""
        os.close(self._writing)
        self.gate.hand_over()


def start(job: Job, own: list[bytes], mask: set[int]) -> int:
    """Start bwrap and give its process id; `own` are arguments that do not come from the plan."""
    words = [*own, *job.arguments]
    if len(words) + len(job.command) > MAX_ARGUMENTS:
        count = f"{len(words) + len(job.command)} arguments for bwrap, which takes {MAX_ARGUMENTS}"
        raise Refused("policy", count, "use fewer or wider rules")
    argv = [job.program, b"--args", b"%d" % inheritable(in_memory(words)), b"--", *job.command]
    program = Program(job.program, argv, job.environment)
    program.moved, program.limits = job.moved, job.limits
    try:
        return spawn(program, mask)
    except OSError as error:
        why = f"cannot be started: {os.strerror(error.errno or 0)}"
        raise Refused("bwrap", why, "check the installation") from error


def in_memory(words: list[bytes]) -> int:
    """A descriptor from which bwrap reads `words`, each closed by a NUL; a command line could not hold them all."""
    descriptor = os.memfd_create("arguments")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(b"".join(word + b"\0" for word in words))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class Watch:
    """One bwrap from its start to its end, with the signals that arrive in the meantime."""

    def __init__(self, job: Job, backend: Backend, inbox: Inbox) -> None:
        self.job = job
        self.child = backend.pid
        self.gate = backend.gate
        self.records = backend.records
        self.deadline = backend.deadline
        self.inbox = inbox
        self.began = time.monotonic()
        self.pending: list[int] = []
        self.init: processes.Handle | None = None
        self.told = 0
        self.too_late = False
        self.ended: int | None = None

    def to_the_end(self, lifeline: int) -> int:
        """The status of bwrap, once it and every process of the sandbox are gone."""
        while self.ended is None:
            self.inbox.wait(lifeline, *self.records.descriptors(), seconds=self.patience())
            self.look(is_orphan=at_end(lifeline))
            self.ended = processes.reaped(self.child)
        self.records.read()
        if self.init:
            self.init.wait()
        return self.ended

    def patience(self) -> float | None:
        """Seconds until something has to be looked at that nobody tells; None if there is nothing."""
        if self.init and not self.gate.is_open:
            return processes.TICK
        return None if self.deadline == float("inf") else self.deadline - time.monotonic()

    def look(self, *, is_orphan: bool) -> None:
        """Take what has arrived, and act on it."""
        self.records.read()
        for number in self.inbox.taken():
            self.note(number)
        if is_orphan:
            self.told, self.deadline = signal.SIGKILL, 0.0
        if not self.init and processes.descends(self.records.init, self.child):
            self.init = processes.Handle(self.records.init)
        if self.init:
            self.relay(self.init)
            self.let_in(self.init)
        if time.monotonic() >= self.deadline:
            self.give_up()

    def note(self, number: int) -> None:
        """Keep a signal for the command; after a SIGTERM everything ends, whether the command listens or not."""
        self.told = number
        self.pending.append(number)
        if number == signal.SIGTERM:
            self.end_soon()

    def relay(self, init: processes.Handle) -> None:
        """Pass the kept signals on; one for a command that does not run yet ends everything at once."""
        while self.pending:
            number = self.pending.pop(0)
            if not init.signal_command(number):
                self.deadline = 0.0
            elif number == signal.SIGINT and init.command_ignores(number):
                self.end_soon()

    def end_soon(self) -> None:
        """Leave the command the grace, and no longer."""
        self.deadline = min(self.deadline, time.monotonic() + GRACE)

    def let_in(self, init: processes.Handle) -> None:
        """Open the gate if the sandbox is complete; raises `Refused` if it is not what was planned."""
        if self.gate.is_open or self.deadline == 0.0 or not processes.has_no_capability(init.pid):
            return
        verify.check(init.pid, self.job.plan, network=self.job.network)
        self.gate.open()
        if self.told != signal.SIGTERM:
            self.deadline = float("inf")

    def give_up(self) -> None:
        """Kill everything that bwrap made, and bwrap, and wait for their end."""
        self.too_late = True
        self.deadline = float("inf")
        self.job.plan.held.clear()  # Killing must not fail for want of a descriptor.
        if self.init:
            self.init.kill()
        for killed in processes.kill_tree(self.child):
            killed.wait()

    def verdict(self, ended: int) -> int:
        """The status to end with."""
        if self.told and (self.too_late or self.records.exit_code is None):
            return 128 + self.told
        if self.too_late:
            raise Refused("bwrap", f"made no sandbox within {time.monotonic() - self.began:.0f} s", "try it by hand")
        if self.records.exit_code is None or not self.gate.is_open:
            raise did_not_run(self.job, ended)
        return self.records.exit_code


def did_not_run(job: Job, ended: int) -> Refused:
    """The refusal of a bwrap that ended without having run the command, whatever its status says."""
    from . import diagnosis  # noqa: PLC0415 - not needed in a run that succeeds

    why, advice = diagnosis.missing(job.program, [*OWN_OPTIONS, *job.arguments])
    told = f"ended with status {ended} and did not run the command"
    if why:
        return Refused("bwrap", f"{told}: {why}", advice)
    return Refused("bwrap", told, "check user namespaces and the policy")


def at_end(lifeline: int) -> bool:
    """Whether the process at the other end of the lifeline is gone."""
    try:
        return not os.read(lifeline, 1)
    except BlockingIOError:
        return False
