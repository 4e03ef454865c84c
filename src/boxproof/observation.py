# SPDX-License-Identifier: MIT
"""What one launch did: how it ended, what the probe said, and what is different on the host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from attrs import frozen

from boxproof.grounds.launch import Launch
from boxproof.probe.reader import ProbeReport
from boxproof.snapshot import Difference, Snapshot, differences

_MARK: Final = re.compile(rb"^(m[0-9a-f]+)-([0-9]+)$", re.MULTILINE)


@frozen
class Observation:
    """One launch, with or without a helper.

    Args:
        argv: the command line that was started.
        launch: how it ended.
        report: what the probe said.
        before: the farm's base folder when the launch began.
        after: the same when it was over.
        mark: what this launch's write probes wrote, their number aside.
        executions: how often the bwrap that a condition put on PATH was executed; none where it put none there.
        preflight: how the helper's preflight ended, where a condition had it asked.
    """

    argv: tuple[str, ...]
    launch: Launch
    report: ProbeReport
    before: Snapshot
    after: Snapshot
    mark: str
    executions: int | None = None
    preflight: Launch | None = None

    @cached_property
    def changes(self) -> tuple[Difference, ...]:
        """What is different on the host."""
        return differences(self.before, self.after)

    @cached_property
    def landed(self) -> Mapping[int, tuple[str, ...]]:
        """Number of each write probe whose mark is on the host, to the paths that hold it."""
        found: dict[int, list[str]] = {}
        for path, node in self.after.items():
            for number in marks(node.content, self.mark):
                found.setdefault(number, []).append(path)
        return {number: tuple(paths) for number, paths in found.items()}

    def answer(self, number: int) -> tuple[bool | None, str, bool]:
        """Return what came of one probe: what it said, what it read, and whether its mark is on the host."""
        said = self.report.answers.get(number)
        read = said.payload if said and said.ok else ""
        return (said.ok if said else None, read, number in self.landed)

    def same_object(self, one: str, other: str) -> bool:
        """Tell whether two paths were names of one inode when the launch began, or are now."""
        if one == other:
            return True
        return any(
            one in snapshot and other in snapshot and snapshot[one].identity == snapshot[other].identity
            for snapshot in (self.before, self.after)
        )


def marks(content: bytes, mark: str) -> Iterator[int]:
    """Iterate over the numbers of the write probes whose marks `content` holds."""
    return (int(found.group(2)) for found in _MARK.finditer(content) if found.group(1).decode() == mark)
