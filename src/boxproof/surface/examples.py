# SPDX-License-Identifier: MIT
"""A fixed number of drawn cases, the same ones for the same seed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from hypothesis import given, seed, settings

from boxproof.model.case import Case
from boxproof.model.suite import STRATEGIES, Drawn, GeneratedSource
from boxproof.surface.options import Options
from boxproof.surface.profiles import GATE


def draw(source: GeneratedSource, count: int, number: int) -> tuple[Case, ...]:
    """Return at most `count` different cases of one source, the same ones for the same seed `number`."""
    found: list[Drawn] = []

    # a stub: nothing can fail in it, so Hypothesis never stops early
    @seed(zlib.crc32(f"{number} {source.requirement} {source.intent}".encode()))
    @settings(settings.get_profile(GATE), max_examples=count)
    @given(source.strategy())
    def collect(drawn: Drawn) -> None:
        found.append(drawn)

    collect()
    return tuple(source.case(drawn) for drawn in dict.fromkeys(found[:count]))


def drawn_header(options: Options) -> Iterator[str]:
    """Iterate over the line that says which cases are drawn."""
    if options.examples:
        how = f"--hypothesis-profile={options.drawing} --examples={options.examples} --seed={options.seed}"
        yield f"generated: {how}, strategies version {STRATEGIES}"
