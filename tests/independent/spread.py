# SPDX-License-Identifier: MIT
"""Drawn cases for the comparison, spread over processes that have a mount namespace of their own."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from typing import Final

from boxproof.surface.examples import draw
from boxproof.surface.profiles import register_profiles
from tests.independent.compare import Tally, compare
from tests.model.kernel import enter_mount_namespace
from tests.strategies.gather import sources

PART: Final = 250
"""Cases of one source that a process compares at a time."""


def compare_drawn(count: int, seed: int, processes: int) -> Iterator[Tally]:
    """Compare `count` drawn cases, about as many of each source, and iterate over the tallies of their parts.

    Raises:
        OSError: where this host gives no mount namespace.
    """
    each = -(-count // len(sources()))
    parts = [
        (number, min(PART, each - done), seed + done)
        for done in range(0, each, PART)
        for number in range(len(sources()))
    ]
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, initializer=_enter) as pool:
        yield from pool.map(_part, *zip(*parts, strict=True))


def _enter() -> None:
    register_profiles()
    enter_mount_namespace()


def _part(number: int, count: int, seed: int) -> Tally:
    return compare(tuple(islice(draw(sources()[number], 2 * count, seed), count)))
