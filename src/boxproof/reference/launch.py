# SPDX-License-Identifier: MIT
"""Start bwrap, wait for it, and pass the command's status on (PROC-1, PROC-6, FALL-6, HOST-3).

Places are kept for what does not belong to a first reference, each marked by the word PLACE, here and in `walk`:
holding and verifying objects from outside, the gate, and the second process.
"""

from __future__ import annotations

import os
import select
import signal
import time

from . import processes
from .descriptors import inheritable
from .refusal import Refused
from .signals import Inbox
from .spawn import Program, spawn
from .statusrecords import Records

START_DEADLINE = 4.0
"""Seconds until bwrap must have made its process; one that hangs is given up then."""

GRACE = 1.0
"""Seconds that the command has to end after a SIGTERM before everything is killed."""

MAX_ARGUMENTS = 8900
"""bwrap ends above 9000 arguments of its own and the command's together."""


class Job:
    """One start of bwrap: its path and arguments, the command and its environment, and descriptors to move."""

    __slots__ = ("arguments", "command", "environment", "moved", "program")

    def __init__(
        self, program: bytes, arguments: list[bytes], command: list[bytes], environment: dict[bytes, bytes]
    ) -> None:
        self.program = program
        self.arguments = arguments
        self.command = command
        self.environment = environment
        self.moved: dict[int, int] = {}


def run(job: Job, mask: set[int]) -> int:
    """Run the job to its end and give the command's status; `mask` is the caller's signal mask.

    Raises:
        Refused: the command was not run.
    """
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    started = time.monotonic()
    # PLACE of the second process: forked here, it starts bwrap, and ends everything when this one is killed (HOST-3).
    child = start(job, writing, mask)
    os.close(writing)
    inbox = Inbox(mask)
    # PLACE of verification: what was mounted, seen through the child's root, is what was held by descriptor (RACE-1).
    # PLACE of the gate: only then comes the filter that bwrap awaits on its --seccomp descriptor: it fails closed.
    return Watch(child, Records(reading), inbox, started + START_DEADLINE).to_the_end()


def start(job: Job, status: int, mask: set[int]) -> int:
    """Start bwrap and give its process id; `status` is the descriptor for its records."""
    words = [b"--json-status-fd", b"%d" % inheritable(status), *job.arguments]
    if len(words) + len(job.command) > MAX_ARGUMENTS:
        count = f"{len(words) + len(job.command)} arguments for bwrap, which takes {MAX_ARGUMENTS}"
        raise Refused("policy", count, "use fewer or wider rules")
    argv = [job.program, b"--args", b"%d" % inheritable(in_memory(words)), b"--", *job.command]
    try:
        return spawn(Program(job.program, argv, job.environment, job.moved), mask)
    except OSError as error:
        raise Refused(
            "bwrap", f"cannot be started: {os.strerror(error.errno or 0)}", "check the installation"
        ) from error


def in_memory(words: list[bytes]) -> int:
    """A descriptor from which bwrap reads `words`, each closed by a NUL; a command line could not hold them all."""
    descriptor = os.memfd_create("arguments")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(b"".join(word + b"\0" for word in words))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class Watch:
    """The wait for one bwrap, with the signals that arrive in the meantime."""

    def __init__(self, child: int, records: Records, inbox: Inbox, deadline: float) -> None:
        self.child = child
        self.records = records
        self.inbox = inbox
        self.deadline = deadline
        self.pending: list[int] = []
        self.init: processes.Handle | None = None
        self.told = 0
        self.too_late = False

    def to_the_end(self) -> int:
        """The command's status, once bwrap and every process of the sandbox are gone."""
        ended = None
        while ended is None:
            self.wait()
            self.look()
            ended = processes.reaped(self.child)
        self.records.read()
        if self.init:
            self.init.wait()
        return self.verdict(ended)

    def wait(self) -> None:
        """Sleep until a record, a signal, the end of bwrap, or the deadline."""
        poll = select.poll()
        for descriptor in (self.inbox.descriptor, *self.records.descriptors()):
            poll.register(descriptor, select.POLLIN)
        left = self.deadline - time.monotonic()
        poll.poll(None if left == float("inf") else max(0, left * 1000))

    def look(self) -> None:
        """Take what has arrived, and act on it."""
        self.records.read()
        for number in self.inbox.taken():
            self.note(number)
        if self.records.init and not self.init:
            self.init = processes.Handle(self.records.init)
            if signal.SIGTERM not in self.pending:
                self.deadline = float("inf")
        if self.init:
            self.relay(self.init)
        if time.monotonic() >= self.deadline:
            self.give_up()

    def note(self, number: int) -> None:
        """Keep a signal for the command; after a SIGTERM everything ends, whether the command listens or not."""
        self.told = number
        self.pending.append(number)
        if number == signal.SIGTERM:
            self.deadline = min(self.deadline, time.monotonic() + GRACE)

    def relay(self, init: processes.Handle) -> None:
        """Pass the kept signals on; one for a command that does not run yet ends everything at once."""
        while self.pending:
            if not init.signal_command(self.pending.pop(0)):
                self.deadline = 0.0

    def give_up(self) -> None:
        """Kill everything that bwrap made, and bwrap."""
        self.too_late = True
        self.deadline = float("inf")
        if self.init:
            self.init.kill()
        processes.kill_tree(self.child)

    def verdict(self, ended: int) -> int:
        """The status to end with."""
        if self.told and (self.too_late or self.records.exit_code is None):
            return 128 + self.told
        if self.too_late:
            raise Refused("bwrap", f"made no sandbox within {START_DEADLINE:.0f} s", "try it by hand")
        if self.records.exit_code is None:
            why = f"ended with status {ended} and did not run the command"
            raise Refused("bwrap", why, "its own message stands above; check user namespaces and the policy")
        return self.records.exit_code
