# SPDX-License-Identifier: MIT
"""The generated sources of the conformance suite, and what they draw."""

from __future__ import annotations

from functools import cache

from boxproof.model.case import Case
from boxproof.model.suite import GeneratedSource
from boxproof.surface.examples import draw
from conformance import test_generated

FARM = "/farm/of/case"
COUNT = 500
FEW = 120


def sources() -> tuple[GeneratedSource, ...]:
    return tuple(value for value in vars(test_generated).values() if isinstance(value, GeneratedSource))


def named(source: GeneratedSource) -> str:
    return f"{source.requirement}[{source.id}]"


@cache
def cases(source: GeneratedSource) -> tuple[Case, ...]:
    """Return what 500 examples draw."""
    return draw(source, COUNT, 0)


@cache
def few(source: GeneratedSource) -> tuple[Case, ...]:
    """Return what a good hundred examples draw."""
    return draw(source, FEW, 0)
