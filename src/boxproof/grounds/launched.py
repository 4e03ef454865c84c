# SPDX-License-Identifier: MIT
"""How a launch ended, and what it costs when the launcher itself ends."""

from __future__ import annotations

from typing import Final

from attrs import frozen

from boxproof.errors import BoxproofError
from boxproof.grounds.wire import JSON

OUTPUT_BOUND: Final = 1 << 20
"""Bytes of each stream that are kept unless a launch says otherwise."""

GRACE_SECONDS: Final = 0.5
"""What descendants may take to end by themselves: the init of a pid namespace may outlive its parent by a moment, so
that no grace at all would call one in fifty ordinary launches unclean. Costs nothing where nothing is left."""


class LauncherLost(BoxproofError):  # noqa: N818 - the caller's answer is another launcher, not an error
    """The launcher ended, or stopped answering, during a launch; what it had started has been ended.

    Causes: a helper that kills its parent or all processes of its user, or the kernel's out-of-memory killer.
    Next step: none for the user; the engine starts another launcher, and the launch counts against the helper.
    """


@frozen
class Launch:
    """How a launch ended.

    Args:
        status: the exit status, or none where a signal ended the helper.
        signal: the number of that signal.
        seconds: from fork to the helper's end.
        timed_out: the deadline came first, and everything was killed.
        stdout: the first bytes of standard output, up to the bound.
        stderr: likewise.
        dropped: the bytes beyond the bound, both streams together.
        left: descendants that outlived the helper and the grace, one ``PID COMMAND LINE`` each; they were killed then.
        exec_error: ``CALL: ERRNO`` where the helper could not be started, such as ``execve: ENOEXEC``, else ``""``.
        clashed: the helper wanted a listener for system calls of its own, which a supervised condition takes away.
        cued: seconds from fork until the command said that it waits, or none.
        calls: the calls that were counted (`grounds.steps`), each followed by a blank.
    """

    status: int | None
    signal: int | None
    seconds: float
    timed_out: bool
    stdout: bytes
    stderr: bytes
    dropped: int
    left: tuple[str, ...]
    exec_error: str
    clashed: bool = False
    cued: float | None = None
    calls: str = ""


def launched(reply: JSON, output: bytes) -> Launch:
    """Return what the launcher's reply says, its second part being both streams."""
    split = reply["stdout"]
    return Launch(
        status=reply["status"],
        signal=reply["signal"],
        seconds=reply["seconds"],
        timed_out=reply["timed_out"],
        stdout=output[:split],
        stderr=output[split:],
        dropped=sum(reply["dropped"]),
        left=tuple(reply["left"]),
        exec_error=reply["exec_error"],
        clashed=reply["clashed"],
        cued=reply["cued_after"],
        calls=reply["calls"],
    )
