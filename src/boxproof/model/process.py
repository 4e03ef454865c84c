# SPDX-License-Identifier: MIT
"""What a case is about beside files: what the command inherits and does, and what happens to the helper meanwhile."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias, get_args

from attrs import field, frozen, validators

from boxproof.errors import CaseError

Command: TypeAlias = Literal["", "missing", "not-executable", "folder"]
Stream: TypeAlias = Literal["", "stdout", "stderr"]
Moment: TypeAlias = Literal["", "starting", "calling", "running", "ending"]
Asked: TypeAlias = Literal[
    "capabilities",  # the effective, permitted and ambient sets
    "no-new-privs",
    "processes",  # a process of the host that can be seen in /proc
    "tcp",  # connections to listeners of ours
    "udp",
    "abstract",
    "descriptors",  # each number up to 1023
    "streams",  # whether 0, 1 and 2 are open
    "ignored",  # which signals are
    "blocked",
    "umask",
    "limits",
    "environment",
    "arguments",
    "cwd",
]

COMMANDS: Final[tuple[Command, ...]] = get_args(Command)
STREAMS: Final[tuple[Stream, ...]] = get_args(Stream)
MOMENTS: Final[tuple[Moment, ...]] = get_args(Moment)
ASKED: Final[tuple[Asked, ...]] = get_args(Asked)
CONTACTS: Final = frozenset({"tcp", "udp", "abstract"})
"""What is asked by connecting to a listener of ours."""

_STATUS_MAX: Final = 255
_UMASK: Final = re.compile(r"(0[0-7]{3})?")
_LIMIT: Final = re.compile(r"[A-Z]+ [0-9]+")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)


@frozen
class Process:
    """What one command does beside its probes, and what becomes of the helper.

    Args:
        status: what the command ends with.
        dies: the signal by which it ends itself instead, such as ``TERM``, or ``""``.
        command: what is wrong with the command itself; it is executed in the place of the probe.
        echoes: where the command copies 1 MiB of binary standard input to.
        closed: standard descriptors that are closed when the helper starts.
        passes: descriptors beyond 2 that the helper inherits.
        asks: what the command is to say of itself, at its first instruction.
        ignored: signals that the caller ignores.
        blocked: signals that the caller blocks.
        umask: the caller's, in octal, or ``""`` for the usual one.
        limits: the caller's soft limits, each ``NAME NUMBER`` with the name of setrlimit(2) without ``RLIMIT_``.
        env: variables that the caller sets, each ``NAME=VALUE``, which may hold ``{farm}``.
        args: arguments that the command is to be given.
        signal: what the helper is sent, such as ``KILL``, or ``""``.
        moment: when: ``starting`` is each of `times` seeded moments from the start until the command runs, ``calling``
            each of at most `times` system calls that make a process or tie it to its parent.
        times: how many helpers are started and sent the signal, one after the other.
        stubborn: the command ignores all signals that can be ignored.
        runs: ordinary runs after that.
        watched: the host is looked at while the command waits.
        parallel: helpers that run at the same time.

    Raises:
        CaseError: for a status, a signal, a descriptor, a limit or a variable that is none.
    """

    status: int = 0
    dies: str = ""
    command: Command = field(default="", validator=validators.in_(COMMANDS))
    echoes: Stream = field(default="", validator=validators.in_(STREAMS))
    closed: tuple[int, ...] = ()
    passes: tuple[int, ...] = ()
    asks: tuple[Asked, ...] = ()
    ignored: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    umask: str = ""
    limits: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    signal: str = ""
    moment: Moment = field(default="", validator=validators.in_(MOMENTS))
    times: int = 1
    stubborn: bool = False
    runs: int = 1
    watched: bool = False
    parallel: int = 1

    def __attrs_post_init__(self) -> None:
        """Check what only this value knows to be impossible."""
        for name in (self.dies, self.signal, *self.ignored, *self.blocked):
            if name and f"SIG{name}" not in signal.Signals.__members__:
                raise CaseError(f"'{name}' is no signal", cure="write one such as 'TERM'")
        if bool(self.signal) != bool(self.moment):
            raise CaseError("a signal to the helper has a moment", cure="write both 'signal' and 'moment', or neither")
        wrong = next(self._wrong(), "")
        if wrong:
            raise CaseError(f"'{wrong}' cannot be", cure="see docs/reference/case-file.md, [process]")

    def _wrong(self) -> Iterator[str]:
        if not 0 <= self.status <= _STATUS_MAX:
            yield f"status = {self.status}"
        yield from (f"closed = {number}" for number in self.closed if number not in {0, 1, 2})
        yield from (f"passes = {number}" for number in self.passes if not 2 < number < 1024)  # noqa: PLR2004 - as in asks
        yield from (f"limits = {text}" for text in self.limits if not _LIMIT.fullmatch(text))
        yield from (f"env = {text}" for text in self.env if not _VARIABLE.fullmatch(text))
        if not _UMASK.fullmatch(self.umask):
            yield f"umask = {self.umask}"
        counts = {"times": self.times, "runs": self.runs + 1, "parallel": self.parallel}
        yield from (f"{name} = {count}" for name, count in counts.items() if not 1 <= count <= _STATUS_MAX)
