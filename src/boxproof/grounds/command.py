# SPDX-License-Identifier: MIT
"""A command to be started, the same whatever starts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from boxproof.grounds.given import ALONE, PLAIN, Attendance, Given
from boxproof.grounds.launched import GRACE_SECONDS, OUTPUT_BOUND
from boxproof.grounds.wire import JSON, to_wire


@frozen
class Command:
    """What is started, and how.

    Args:
        argv: the command line.
        deadline: seconds after which everything is killed.
        env: the environment; `Site.launch` adds that of every launch.
        cwd: the working folder, entered as the launch user.
        executable: the file to execute where it is not `argv[0]`.
        null_fds: further descriptors to open, for reading, on ``/dev/null``.
        stdin: what standard input holds, a pipe then; ``/dev/null`` where it is none.
        bound: bytes of each output to keep.
        given: what else it inherits.
        attendance: what happens while it runs.
        condition: what the host is to lack for it, or what is to happen at some of its calls, as `impose` takes it.
        canary: questions for `grounds.canary` to answer on stdout instead of executing anything.
    """

    argv: Sequence[str]
    deadline: float
    env: Mapping[str, str] = field(factory=dict)
    cwd: str = "/"
    executable: str = ""
    null_fds: Sequence[int] = ()
    stdin: bytes | None = None
    bound: int = OUTPUT_BOUND
    given: Given = PLAIN
    attendance: Attendance = ALONE
    condition: JSON | None = None
    canary: Sequence[Sequence[str]] = ()

    @property
    def grace(self) -> float:
        """Seconds that descendants may outlive it."""
        return GRACE_SECONDS if self.attendance.grace is None else self.attendance.grace

    def request(self) -> JSON:
        """Return what the launcher has to know besides `start_request` and the user."""
        return {
            "null_fds": list(self.null_fds),
            "deadline": self.deadline,
            "grace": self.grace,
            "bound": self.bound,
            "feed": self.stdin is not None or self.attendance.hold,
            "given": self.given.request(),
            **self.attendance.request(),
            "signals": sorted(self.attendance.signals),
            "condition": self.condition,
            "canary": [[to_wire(part) for part in question] for question in self.canary],
        }


def start_request(argv: Sequence[str], env: Mapping[str, str], cwd: str, executable: str = "") -> JSON:
    """Return what every start has but the user, as the launcher takes it."""
    return {
        "argv": [to_wire(argument) for argument in argv],
        "env": {to_wire(name): to_wire(value) for name, value in env.items()},
        "cwd": to_wire(cwd),
        "executable": to_wire(executable or argv[0]),
    }
