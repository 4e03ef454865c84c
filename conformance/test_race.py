# SPDX-License-Identifier: MIT
"""RACE: names change places while the helper starts."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import races


@judges("RACE-1")
def swaps() -> Iterator[Case]:
    """No swap before the command's first instruction gives it what no rule grants, or takes a mask away."""
    yield from races.by_engine()
    yield from races.by_chance()
