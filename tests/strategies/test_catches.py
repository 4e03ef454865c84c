# SPDX-License-Identifier: MIT
"""Each intent finds the known-bad helper that it is for, within 120 examples on each of five seeds."""

from __future__ import annotations

from typing import Final

import pytest

from boxproof.model.suite import GeneratedSource
from boxproof.surface.examples import draw
from boxproof.surface.related import Related
from tests.known_bad.bench import Bench, failed
from tests.strategies.gather import FEW, named, sources

SEEDS: Final = 5
CAUGHT: Final = {
    "START-2[generated-nowhere]": ("dangling-ro-fatal", (1, 1, 1, 1, 1)),
    "START-3[generated-nowhere]": ("missing-rw-created", (4, 4, 3, 4, 4)),
    "BIND-1[generated-single]": ("literal-destination", (6, 5, 6, 4, 3)),
    "BIND-2[generated-mix]": ("order-sensitive", (4, 3, 6, 4, 6)),
    "BIND-3[generated-pair]": ("second-spelling-refused", (4, 3, 3, 3, 3)),
    "BIND-4[generated-conflict]": ("last-rule-wins", (4, 4, 4, 4, 5)),
    "BIND-6[generated-cwd]": ("cwd-link-refused", (2, 2, 2, 2, 2)),
    "BIND-7[generated-noise]": ("lexical-dotdot", (3, 3, 18, 3, 18)),
    "NEST-1[generated-nest3]": ("order-sensitive", (7, 7, 5, 5, 6)),
    "MASK-1[generated-under]": ("deny-by-link-dropped", (4, 4, 4, 4, 4)),
    "MASK-2[generated-pair]": ("mask-per-spelling", (3, 5, 4, 3, 3)),
    "MASK-3[generated-hard]": ("dedupe-by-inode", (3, 7, 3, 3, 3)),
    "MASK-4[generated-missing]": ("leaves-placeholder", (3, 3, 6, 5, 5)),
    "MASK-5[generated-link-in-writable]": ("drops-what-is-unsteady", (2, 2, 2, 2, 2)),
    "MASK-6[generated-under]": ("folder-masked-one-level", (17, 28, 15, 13, 9)),
    "ESC-2[generated-made-link]": ("parent-granted", (10, 13, 6, 11, 26)),
    "ESC-3[generated-ro-in-writable]": ("ro-is-rw", (1, 1, 1, 1, 1)),
    "BIND-8[generated-submount]": ("submounts-writable", (3, 5, 5, 5, 3)),
    "MASK-9[generated-mounted-twice]": ("second-mount-forgotten", (1, 1, 1, 1, 1)),
    "NAME-1[generated-names]": ("words-of-a-shell", (3, 10, 12, 12, 18)),
    "BIND-2[generated-respelled]": ("literal-destination", (10, 6, 4, 4, 3)),
    "BIND-3[generated-repeated]": ("second-spelling-refused", (2, 2, 2, 2, 2)),
    "BIND-4[generated-reversed]": ("last-rule-wins", (4, 4, 15, 4, 4)),
    "START-2[generated-unresolvable-added]": ("dangling-ro-fatal", (2, 2, 2, 2, 2)),
}
"""For each intent its known-bad helper, and how many examples each seed takes to find it."""


def test_every_intent_has_its_known_bad_helper() -> None:
    assert set(CAUGHT) == {named(source) for source in sources()}


@pytest.mark.parametrize("intent", CAUGHT)
def test_an_intent_finds_its_known_bad_helper(bench: Bench, intent: str) -> None:
    name, counts = CAUGHT[intent]
    source = next(each for each in sources() if named(each) == intent)
    assert 0 < min(counts) <= max(counts) <= FEW
    assert tuple(examples_until_caught(bench, name, source, seed) for seed in range(SEEDS)) == counts


def examples_until_caught(bench: Bench, name: str, source: GeneratedSource, seed: int) -> int:
    """Return the number of the first example that fails, 0 where none of a good hundred does."""
    runs = Related(bench.runner(name))
    drawn = enumerate(draw(source, FEW, seed), start=1)
    return next((number for number, case in drawn if failed(runs.run(case))), 0)
