# SPDX-License-Identifier: MIT
"""Hypothesis profiles of the suite: how many cases are drawn, and whether they are the same ones each time.

``--hypothesis-profile=NAME`` chooses one, as with any suite that uses Hypothesis.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Final

from attrs import frozen
from hypothesis import HealthCheck, Phase, settings


@frozen
class Drawing:
    """What a profile stands for where the command line does not say it.

    Args:
        examples: cases for each requirement and intent.
        seed: as ``--seed`` takes it.
    """

    examples: str
    seed: str


GATE: Final = "gate"
"""For releases: the same cases on each machine and in each run."""
NIGHTLY: Final = "nightly"
"""For the search: more cases, new ones in each run, by a seed that the header names."""
DRAWINGS: Final[Mapping[str, Drawing]] = {GATE: Drawing("50", "0"), NIGHTLY: Drawing("500", "random")}


def register_profiles() -> None:
    """Make the profiles known to Hypothesis, whose own plugin loads the one that the user names.

    Nothing is kept, nothing depends on the clock, nothing is shrunk or explained: what fails is collected, and made
    small by `boxproof.reducing`.
    """
    for name, drawing in DRAWINGS.items():
        settings.register_profile(
            name,
            max_examples=int(drawing.examples),
            derandomize=name == GATE,
            phases=[Phase.generate],
            database=None,
            deadline=None,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        )


def profile_of(option: argparse.Namespace) -> str:
    """Return the profile that the user names; the one for gates where that is none of the suite's."""
    name: str | None = getattr(option, "hypothesis_profile", None)
    return name if name and name in DRAWINGS else GATE
