# SPDX-License-Identifier: MIT
"""The contract as data: numbered requirements, each with its level and its reason.

An id is stable for ever; wording may improve, meaning may not change under the same id. The key words are those of
RFC 2119: what is a MUST gates a release, a SHOULD is reported, a RECORD is written down and never fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from attrs import field, frozen, validators

from boxproof.errors import CaseError
from boxproof.model.case import LEVELS, Level
from boxproof.model.document import read_document
from boxproof.model.table import Table

FORMAT: Final = 1
KEYS: Final = ("id", "level", "statement", "parts", "why", "sources")
PART_KEYS: Final = ("level", "statement")

_ID: Final = re.compile(r"[A-Z]+-[1-9][0-9]*")


@frozen
class Part:
    """What of a requirement holds at one level."""

    level: Level = field(validator=validators.in_(LEVELS))
    statement: str


@frozen
class Requirement:
    """One thing that a sandbox helper owes its users.

    Args:
        id: such as ``MASK-2``.
        level: how binding it is; the highest level of its parts, where it has any.
        statement: what a helper does, in words that stand alone.
        why: what goes wrong on real machines otherwise.
        sources: public reports as ``owner/name#number``, advisories, man pages.
        parts: which part holds at which level; empty where all of it holds at `level`.

    Raises:
        CaseError: for an id that is none, or a level that is not that of the most binding part.
    """

    id: str
    level: Level = field(validator=validators.in_(LEVELS))
    statement: str
    why: str
    sources: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()

    def __attrs_post_init__(self) -> None:
        """Check the id and the level."""
        if not _ID.fullmatch(self.id):
            raise CaseError(f"'{self.id}' is no requirement id", cure="write one such as 'MASK-2'")
        highest = min((part.level for part in self.parts), key=LEVELS.index, default=self.level)
        if highest != self.level:
            raise CaseError(f"{self.id} is a {self.level}", cause=f"its most binding part is a {highest}")

    @property
    def area(self) -> str:
        """What the id begins with, such as ``MASK``."""
        return self.id.partition("-")[0]


@frozen
class Contract(Mapping[str, Requirement]):
    """All requirements by id, in the order of the file.

    Args:
        requirements: in the order in which reports show them.
        terms: what words such as ``refused`` mean in the statements.

    Raises:
        CaseError: for an id that is there twice.
    """

    requirements: tuple[Requirement, ...]
    terms: Mapping[str, str] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        """Refuse an id that is there twice."""
        ids = [requirement.id for requirement in self.requirements]
        if twice := next((each for each in ids if ids.count(each) > 1), ""):
            raise CaseError(f"{twice} is there twice")

    def __getitem__(self, key: str) -> Requirement:
        """Return the requirement with this id."""
        return self._by_id[key]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._by_id)

    def __len__(self) -> int:
        """Count the requirements."""
        return len(self.requirements)

    @property
    def areas(self) -> tuple[str, ...]:
        """The areas, in the order in which they first occur."""
        return tuple(dict.fromkeys(requirement.area for requirement in self.requirements))

    def at(self, levels: Iterable[Level]) -> tuple[Requirement, ...]:
        """Return the requirements whose level is one of these."""
        wanted = frozenset(levels)
        return tuple(requirement for requirement in self.requirements if requirement.level in wanted)

    @cached_property
    def _by_id(self) -> Mapping[str, Requirement]:
        return MappingProxyType({requirement.id: requirement for requirement in self.requirements})


def load_contract(text: str, name: str) -> Contract:
    """Read a contract.

    Args:
        text: the file, decoded with ``surrogateescape``.
        name: the file's name, for messages.

    Raises:
        NotationError: beginning ``NAME:LINE:`` and naming the key.
    """
    document = read_document(text, name)
    table = Table(document, document.values)
    table.format(FORMAT)
    table.close(("format", "terms", "requirement"))
    glossary = table.table("terms")
    terms = {term: _folded(glossary.text(term)) for term in glossary.values}
    rows = table.tables("requirement", needed=True)
    requirements = tuple(map(_requirement, rows))
    seen: set[str] = set()
    for row, requirement in zip(rows, requirements, strict=True):
        if requirement.id in seen:
            raise row.error("id", f"'{requirement.id}' is there twice", cure="give it a number of its own")
        seen.add(requirement.id)
    return Contract(requirements, MappingProxyType(terms))


def _requirement(row: Table) -> Requirement:
    row.close(KEYS)
    level = row.word("level", LEVELS)
    statement, why = _folded(row.text("statement")), _folded(row.text("why"))
    sources, parts = row.texts("sources", str), tuple(map(_part, row.tables("parts")))
    try:
        return Requirement(row.text("id"), level, statement, why, sources, parts)
    except CaseError as error:
        raise row.wrapped("level" if _ID.fullmatch(row.text("id")) else "id", error) from None


def _part(row: Table) -> Part:
    row.close(PART_KEYS)
    return Part(row.word("level", LEVELS), _folded(row.text("statement")))


def _folded(text: str) -> str:
    """Return a text that was written over several lines as one."""
    return " ".join(text.split())
