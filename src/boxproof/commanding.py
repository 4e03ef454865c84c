# SPDX-License-Identifier: MIT
"""How a command is started that does what a case says of its process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from attrs import evolve, frozen

from boxproof.grounds.given import Attendance, Given
from boxproof.grounds.ground import Site
from boxproof.grounds.launched import OUTPUT_BOUND
from boxproof.grounds.listeners import Listeners
from boxproof.model.case import Case
from boxproof.model.names import FARM
from boxproof.model.process import CONTACTS, Asked, Process
from boxproof.snapshot import Snapshot
from boxproof.starting import Start

_STEPS: Final[Mapping[Asked, str]] = {
    "capabilities": "status",
    "no-new-privs": "status",
    "ignored": "status",
    "blocked": "status",
    "processes": "processes",
    "descriptors": "descriptors",
    "streams": "streams",
    "umask": "umask",
    "limits": "limits",
    "cwd": "cwd",
}


@frozen
class Commander:
    """Starts for the commands of one case.

    Args:
        listeners: what a command is to try to reach, or none.
        payload: what it is given on standard input, where it copies that.
    """

    case: Case
    site: Site
    listeners: Listeners | None
    payload: bytes

    def unusable(self, process: Process) -> Start:
        """Return a start of a command that cannot be executed, of the kind that `process` names."""
        cwd = self.case.policy.at(self.site.farm.path).cwd
        return Start(instead=(f"{cwd}/{process.command}",))

    def start(self, process: Process, watch: Callable[[Snapshot], None] | None = None) -> Start:
        """Return a start; its command waits where something is to happen meanwhile.

        Args:
            process: what the command does.
            watch: takes the host as it is while the command waits.
        """
        start = Start(
            arguments=process.args,
            also=self._contacts(process),
            given=Given(process.closed, process.ignored, process.blocked, process.umask, process.limits),
            passes=process.passes,
            env=dict(text.replace(FARM, self.site.farm.path).split("=", 1) for text in process.env),
            stdin=self.payload if process.echoes else None,
            bound=OUTPUT_BOUND + len(self.payload),
        )
        waits = bool(process.signal) or process.watched
        start = evolve(start, steps=tuple(_steps(process, waits=waits)))
        return evolve(start, attendance=self._attendance(start, watch)) if waits else start

    def _attendance(self, start: Start, watch: Callable[[Snapshot], None] | None) -> Attendance:
        def look() -> None:
            if watch is not None:
                watch(self.site.farm.snapshot())

        return Attendance(hold=True, cue=f"{start.facts} waiting\n", during=look)

    def _contacts(self, process: Process) -> tuple[tuple[str, str], ...]:
        if self.listeners is None:
            return ()
        return tuple((kind, self.listeners.address(kind)) for kind in sorted(CONTACTS & set(process.asks)))


def _steps(process: Process, *, waits: bool) -> Iterator[str]:
    """Iterate over the words that ``process.sh`` takes."""
    yield from dict.fromkeys(_STEPS[word] for word in process.asks if word in _STEPS)
    if process.env:
        yield "environment=" + ",".join(text.partition("=")[0] for text in process.env)
    if 1 in process.closed:
        yield "on-stderr"
    if process.stubborn:
        yield "stubborn"
    yield "probe"
    if waits:
        yield "wait"
    if process.echoes:
        yield f"copy={process.echoes}"
    yield f"die={process.dies}" if process.dies else f"exit={process.status}"
