# SPDX-License-Identifier: MIT
"""All that a judgement stands on, and how findings are worded."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from functools import cached_property
from typing import Final

from attrs import frozen

from boxproof.conditions.condition import Condition
from boxproof.model.access import ancestry
from boxproof.model.case import Case
from boxproof.model.names import FARM, escape
from boxproof.model.outcome import Expectation, Finding, Kind
from boxproof.model.policy import spelled_at
from boxproof.model.resolve import Tree, resolve
from boxproof.observation import Observation


@frozen
class Evidence:
    """One case, what may come of it, what came of it, and what came of it without the helper.

    Args:
        case: with all the probes that were asked, derived ones included.
        expectation: for exactly these probes.
        control: the same probes without the helper, on a farm of its own.
        seen: the launch under judgement.
        base: absolute path of the folder that holds the farm and the launch's other areas.
        tokens: each file's token to the file's canonical path.
        may_refuse: why this helper may refuse although the expectation does not say so, or ``""``.
        condition: what the host lacked, or none.
        weaker: whether the helper documents that it confines less where the host gives less.
        isolates: whether the helper claims to hide the processes of the host.
        payload: what the command was given on standard input.
        declared: shell patterns, relative to `base`, of what the helper documents to leave behind.
    """

    case: Case
    expectation: Expectation
    control: Observation
    seen: Observation
    base: str
    tokens: Mapping[str, str]
    may_refuse: str = ""
    declared: tuple[str, ...] = ()
    condition: Condition | None = None
    weaker: bool = False
    isolates: bool = False
    payload: bytes = b""

    @cached_property
    def tree(self) -> Tree:
        """The farm as the model knows it at launch."""
        return Tree(self.case.topology, f"{self.base}/farm")

    def object_of(self, payload: str) -> str:
        """Return the canonical path of the file whose token the probe read, or ``""``."""
        return self.tokens.get(payload.strip(), "")

    def place(self, path: str) -> str:
        """Return the canonical path of the name that a probe's path means at launch, a link in last place not followed.

        Empty where its folder was not there at launch.
        """
        farm = self.tree.farm
        base = resolve(self.tree, spelled_at(self.case.policy.cwd, farm)).real if path.startswith("./") else farm
        spelling = spelled_at(path, base).rstrip("/")
        folder = resolve(self.tree, posixpath.dirname(spelling)).real
        return f"{folder}/{posixpath.basename(spelling)}" if folder else ""

    def nearest(self, path: str) -> str:
        """Return the nearest of `path` and the folders above it that was in the farm at launch, else ``/``."""
        return next((above for above in ancestry(path) if above in self.tree.nodes), "/")

    def show(self, path: str) -> str:
        """Return a path as a report shows it: relative to the farm, escaped."""
        inside = f"{self.tree.farm}/"
        if path.startswith(inside):
            return escape(path.removeprefix(inside))
        if path == self.tree.farm:
            return FARM
        if path.startswith(f"{self.base}/"):
            return "{base}" + escape(path.removeprefix(self.base))
        return escape(path)

    def finding(self, kind: Kind, expected: str, seen: str, path: str = "", detail: str = "") -> Finding:
        """Return a finding under the requirement that the kind belongs to, the case's own where it has none.

        What is left is told under the case's own too where that is what the case is about.
        """
        own = self.case.requirement
        requirement = own if own.startswith("HOST-") or own == "PROC-6" else _REQUIREMENTS.get(kind, own)
        return Finding(kind, requirement, expected, seen, self.show(path), detail)


_REQUIREMENTS: Final[Mapping[Kind, str]] = {
    "host-change": "HOST-1",
    "leftover": "HOST-3",
    "status-lost": "PROC-1",
    "repeated": "PROC-1",
}
