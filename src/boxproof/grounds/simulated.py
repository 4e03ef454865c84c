# SPDX-License-Identifier: MIT
"""A condition made ready for launches from one folder: the launcher's request, the environment, the bwrap on PATH."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from boxproof.conditions.condition import Condition
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.bwrap_folder import LaidBwrap, lay_bwrap
from boxproof.grounds.kit import FROM_PATH


@frozen
class Simulated:
    """A condition at a place.

    Args:
        condition: which.
        request: its plan, as the launcher takes it.
        bare_env: the environment without it.
        cwd: where the helper starts.
        places: what stands for ``{tmp}`` and ``{bwrap}``.
        bwrap: the bwrap that was laid for it, where it is about that.
    """

    condition: Condition
    request: dict[str, Any]
    bare_env: Mapping[str, str]
    cwd: str
    places: Mapping[str, str]
    bwrap: LaidBwrap | None = None

    @property
    def env(self) -> dict[str, str]:
        """The environment under the condition."""
        return {**self.bare_env, **({"PATH": self.bwrap.path, FROM_PATH: "1"} if self.bwrap else {})}


def simulate(condition: Condition, *, base: Path, cwd: str, user: LaunchUser, env: Mapping[str, str]) -> Simulated:
    """Make a condition ready.

    Args:
        condition: which.
        base: a folder of ours that the launch user can read.
        cwd: where the helper starts.
        user: who it runs as.
        env: the environment without the condition, with ``PATH`` and ``TMPDIR``.

    Raises:
        ConditionError: where it cannot be made on this host.
    """
    kind = condition.plan.bwrap
    laid = lay_bwrap(kind, base=base, cwd=cwd, user=user, path=env["PATH"]) if kind else None
    places = {"tmp": env["TMPDIR"], "bwrap": laid.file if laid else ""}
    return Simulated(condition, condition.plan.request(places), env, cwd, places, laid)
