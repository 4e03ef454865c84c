# SPDX-License-Identifier: MIT
"""The mutants that no test notices, each with the reason why none has to."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from attrs import frozen

LIST: Final = Path(__file__).with_name("survivors.toml")


@frozen
class Survivor:
    """A mutant by its module and its line before and after the change."""

    module: str
    was: str
    now: str


def argued(path: Path = LIST) -> Mapping[Survivor, str]:
    """Return why each known survivor may survive."""
    rows = tomllib.loads(path.read_text("utf-8")).get("survivor", [])
    return {Survivor(row["module"], row["was"], row["now"]): row["why"] for row in rows}
