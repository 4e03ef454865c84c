# SPDX-License-Identifier: MIT
"""All known-bad helpers, in the order of the contract's areas."""

from __future__ import annotations

from . import (
    bind,
    conf,
    escape,
    fallback,
    host,
    mask,
    missing,
    names,
    nest,
    process,
    race,
    start,
)
from .entry import KnownBad

_MODULES = (start, bind, nest, mask, missing, escape, names, conf, host, process, fallback, race)


def table() -> tuple[KnownBad, ...]:
    """Every known-bad helper."""
    return tuple(value for module in _MODULES for value in vars(module).values() if isinstance(value, KnownBad))


def find(name: str) -> KnownBad | None:
    """The known-bad helper of that name, or ``None``."""
    return next((bad for bad in table() if bad.name == name), None)
