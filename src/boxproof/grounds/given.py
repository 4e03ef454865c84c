# SPDX-License-Identifier: MIT
"""What a caller leaves a helper besides its environment, and how the launcher attends to it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from attrs import frozen

from boxproof.grounds.wire import JSON, to_wire


def nothing() -> None:
    """Do nothing while a command waits."""


@frozen
class Given:
    """What a launch inherits.

    Args:
        closed: standard descriptors that are closed.
        ignored: signals that are ignored, by name without ``SIG``.
        blocked: signals that are blocked.
        umask: in octal, or ``""`` for 022.
        limits: soft ones, each ``NAME NUMBER`` with the name of setrlimit(2) without ``RLIMIT_``.
    """

    closed: Sequence[int] = ()
    ignored: Sequence[str] = ()
    blocked: Sequence[str] = ()
    umask: str = ""
    limits: Sequence[str] = ()

    def request(self) -> JSON:
        """Return it as the launcher takes it."""
        return {
            "closed": list(self.closed),
            "ignored": [signal.Signals[f"SIG{name}"].value for name in self.ignored],
            "blocked": [signal.Signals[f"SIG{name}"].value for name in self.blocked],
            "umask": int(self.umask, 8) if self.umask else None,
            "limits": {
                f"RLIMIT_{name}": int(number) for name, _, number in (one.partition(" ") for one in self.limits)
            },
        }


@frozen
class Attendance:
    """What happens while a helper runs.

    Args:
        hold: standard input is a pipe that is held open; after a cue until the command has been told to go on.
        cue: what the command writes when it waits, or ``""``.
        during: called when it waits.
        keep: standard input stays open even then, and a signal is what ends the command.
        signals: seconds, and the signal to send the helper then: after the start, or after `during`.
        grace: seconds that descendants may outlive the helper, none for the usual ones.
        around: makes what is in force from before the start until after the end.
    """

    hold: bool = False
    cue: str = ""
    during: Callable[[], None] = nothing
    keep: bool = False
    signals: Sequence[tuple[float, int]] = ()
    grace: float | None = None
    around: Callable[[], AbstractContextManager[object]] = nullcontext

    def request(self) -> JSON:
        """Return what the launcher has to know of it."""
        return {"hold": self.hold, "cue": to_wire(self.cue), "keep": self.keep}


PLAIN: Final = Given()
ALONE: Final = Attendance()
