# SPDX-License-Identifier: MIT
"""How a conformance module says which cases judge a requirement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from attrs import evolve, frozen

from boxproof.errors import CaseError
from boxproof.model.case import Case

Factory: TypeAlias = Callable[[], Iterable[Case]]


@frozen
class CaseSource:
    """A function of a conformance module that yields the cases of one requirement; the plugin collects these."""

    requirement: str
    factory: Factory

    def cases(self) -> Iterator[Case]:
        """Iterate over the cases, each under this requirement.

        Raises:
            CaseError: where two cases have the same id.
        """
        seen: set[str] = set()
        for case in self.factory():
            if case.id in seen:
                raise CaseError(f"{self.requirement} has two cases with the id '{case.id}'")
            seen.add(case.id)
            yield evolve(case, requirement=self.requirement)


def judges(requirement: str) -> Callable[[Factory], CaseSource]:
    """Mark a function that yields cases: they judge the requirement with this id."""
    return lambda factory: CaseSource(requirement, factory)
