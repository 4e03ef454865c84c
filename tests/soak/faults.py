# SPDX-License-Identifier: MIT
"""What is wrong with a soak: something has grown, a verdict is not what it was, or it was too short to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from boxproof.helpers.registry import REFERENCE
from boxproof.model.outcome import Verdict
from tests.soak.run import Sample
from tests.soak.usage import grown

BLOCKS: Final = 0.05
"""What Python has allocated may differ by so much of itself from the end of the first round to the end of the last."""
MEMORY_KIB: Final = 2048
"""Memory may differ by so much from the middle to the end: an arena of Python's allocator, 1 MiB, twice."""
LEAST: Final = 100
"""Launches after the first round: with fewer, one descriptor in a hundred launches would not show."""
_MEMORY: Final = ("rss_kib", "below_kib")
_FINE: Final = {Verdict.PASS.value, Verdict.NOT_APPLICABLE.value}


def faults(samples: Sequence[Sample]) -> list[str]:
    """Return what is wrong, each on a line of its own."""
    return [
        *_short(samples),
        *(f"{name} has grown by {more}" for name, more in growth(samples).items()),
        *_judged(samples),
    ]


def growth(samples: Sequence[Sample]) -> Mapping[str, int]:
    """Return what has grown since the first round was over, by which everything is loaded that will be.

    Resident memory settles later: what is freed leaves holes, and what does not fit into one takes new memory.
    """
    first, middle, last = samples[0].usage, samples[len(samples) // 2].usage, samples[-1].usage
    memory = grown(middle, last, dict.fromkeys(_MEMORY, MEMORY_KIB))
    rest = grown(first, last, {"blocks": BLOCKS * first.blocks})
    return {name: more for name in first.rows() if (more := (memory if name in _MEMORY else rest).get(name, 0))}


def _short(samples: Sequence[Sample]) -> Iterator[str]:
    launches = samples[-1].launches - samples[0].launches
    if launches < LEAST:
        yield f"{launches} launches after the first round are too few to tell"


def _judged(samples: Sequence[Sample]) -> Iterator[str]:
    """Iterate over verdicts that are trouble of the suite, that the reference must not have, or that have changed."""
    for helper, counts in samples[-1].verdicts.items():
        allowed = _FINE if helper == REFERENCE else {*_FINE, Verdict.FAIL.value}
        yield from (f"{helper}: {count} {name}" for name, count in counts.items() if name not in allowed)
    yield from samples[-1].changed
