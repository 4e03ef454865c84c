# SPDX-License-Identifier: MIT
"""How a conformance module says which cases judge a requirement: written by hand, or drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Final, TypeAlias

from attrs import evolve, frozen
from hypothesis.strategies import SearchStrategy

from boxproof.errors import CaseError
from boxproof.model.case import Case, Level, Relation
from boxproof.model.policy import Policy, format_rule
from boxproof.model.probe import Probe, format_probe
from boxproof.model.topology import Topology
from boxproof.model.tree import format_tree

Factory: TypeAlias = Callable[[], Iterable[Case]]
Drawn: TypeAlias = tuple[Topology, Policy] | tuple[Topology, Policy, tuple[Probe, ...]]
"""What a strategy draws; the model derives the probes where steps have no say in what the command finds."""

STRATEGIES: Final = 2
"""Version of the strategies: another one draws other cases from the same seed."""
_DIGITS: Final = 10


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


@frozen
class GeneratedSource:
    """A function of a conformance module that returns a strategy; the plugin collects one item of each.

    Args:
        requirement: what the drawn cases are judged by.
        intent: names the strategy, such as ``under``.
        strategy: what draws farms and policies.
        level: of every case.
        relation: of every case, for a relation between two policies.
    """

    requirement: str
    intent: str
    strategy: Callable[[], SearchStrategy[Drawn]]
    level: Level = "MUST"
    relation: Relation = ""

    @property
    def id(self) -> str:
        """What stands for a case's id where all drawn cases are meant."""
        return f"generated-{self.intent}"

    def case(self, drawn: Drawn) -> Case:
        """Return the case of one drawn farm and policy, its id a digest of both."""
        topology, policy, *steps = drawn
        probes = steps[0] if steps else ()
        words = (format_tree(topology), policy.cwd, policy.reads, *map(format_rule, policy.rules))
        words += tuple(map(format_probe, probes))
        digest = sha256("\n".join(words).encode("utf-8", "surrogateescape")).hexdigest()[:_DIGITS]
        title = f"a generated case of the kind '{self.intent}'"
        slug = f"{self.id}-{digest}"
        return Case(slug, self.requirement, title, topology, policy, probes, level=self.level, relation=self.relation)


def generates(
    requirement: str, intent: str, *, level: Level = "MUST"
) -> Callable[[Callable[[], SearchStrategy[Drawn]]], GeneratedSource]:
    """Mark a function that returns a strategy: what it draws judges the requirement with this id."""
    return lambda strategy: GeneratedSource(requirement, intent, strategy, level)


def relates(requirement: str, relation: Relation) -> Callable[[Callable[[], SearchStrategy[Drawn]]], GeneratedSource]:
    """Mark a function that returns a strategy: what it draws has the same outcome under the related policy."""
    return lambda strategy: GeneratedSource(requirement, relation, strategy, relation=relation)
