# SPDX-License-Identifier: MIT
"""One helper that is wrong on purpose: a function of the reference, and what stands in its place."""

from __future__ import annotations

import sys
from collections.abc import Callable  # Python 3.9 has no X | Y
from types import ModuleType
from typing import Any, NamedTuple

REFERENCE = "boxproof.reference"


class KnownBad(NamedTuple):
    """A row of the table.

    Attributes:
        name: as ``--helper=known-bad:NAME`` takes it.
        original: the reference's function that is replaced.
        replacement: what stands in its place.
        caught: the requirement that must catch it.
        related: other requirements that may, each by its id or, for a whole area, by its first word.
        mimics: the public report or the behaviour that it is modelled on.
        line: what it does wrong.
    """

    name: str
    original: Callable[..., Any]
    replacement: Callable[..., Any]
    caught: str
    related: tuple[str, ...]
    mimics: str
    line: str

    @property
    def replaced(self) -> str:
        """The replaced function's module and name within the reference, such as ``plan.stricter``."""
        return f"{self.original.__module__.rpartition('.')[2]}.{self.original.__qualname__}"


def replaces(
    original: Callable[..., Any], *, caught: str, mimics: str, related: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], KnownBad]:
    """Mark a function as what stands in the place of `original`; its own name and first line are the table's."""

    def entry(replacement: Callable[..., Any]) -> KnownBad:
        name = replacement.__name__.replace("_", "-")
        line = (replacement.__doc__ or "").partition("\n")[0]
        return KnownBad(name, original, replacement, caught, related, mimics, line)

    return entry


def install(bad: KnownBad) -> None:
    """Put the replacement wherever the reference holds the original, which other modules import by name."""
    for owner, name in places(bad.original):
        setattr(owner, name, bad.replacement)


def places(original: Callable[..., Any]) -> list[tuple[ModuleType | type, str]]:
    """Every module and class of the reference that holds `original`, with the name by which it does."""
    modules = [module for name, module in sys.modules.items() if name.startswith(REFERENCE + ".")]
    classes = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    owners: list[ModuleType | type] = [*modules, *classes]
    return [(owner, name) for owner in owners for name, value in vars(owner).items() if value is original]
