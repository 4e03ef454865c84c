# SPDX-License-Identifier: MIT
"""A baseline: failures of released helpers that are known, each with a reason.

``docs/reference/baseline-file.md`` describes the file. An entry excuses the kinds of findings that it lists and no
others, so a leak is only ever excused where somebody has written the word.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from datetime import date
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Final

from attrs import define, evolve, field, frozen
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from boxproof.errors import NotationError, nearest
from boxproof.model.case import Case
from boxproof.model.casefile import read_policy, read_topology
from boxproof.model.document import read_document
from boxproof.model.outcome import KINDS, Kind
from boxproof.model.policy import Policy
from boxproof.model.table import Table
from boxproof.model.topology import Topology

FORMAT: Final = 1
KEYS: Final = ("ids", "kinds", "withheld", "helper", "version", "reason", "reference", "expires", "flaky", "case")
CASE_KEYS: Final = ("tree", "policy")
UNEXPLAINED: Final = "to be explained"
"""The reason that ``boxproof baseline`` writes, and that no run takes for one."""
_GENERATED: Final = re.compile(r"generated-(?!.*-[0-9a-f]{10}$)")
_ID: Final = re.compile(r"(?P<requirement>[A-Z*][A-Z0-9*-]*)\[(?P<case>[a-z0-9*-]+)\](?:@(?P<ground>[^\s@]+))?")
_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)*")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@frozen
class Pattern:
    """Which cases an entry is about: ``MASK-2[alias-*]@host``, in which ``*`` stands for anything.

    Args:
        requirement: pattern of the requirement's id.
        case: pattern of the case's id.
        ground: pattern of the ground's name; ``*`` where none is written.
    """

    requirement: str
    case: str
    ground: str = "*"

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{self.requirement}[{self.case}]{'' if self.ground == '*' else f'@{self.ground}'}"

    def matches(self, requirement: str, case: str, ground: str | None) -> bool:
        """Tell whether it is about a case on a ground, or on any ground where that is ``None``."""
        here = ground is None or fnmatchcase(ground, self.ground)
        return here and fnmatchcase(requirement, self.requirement) and fnmatchcase(case, self.case)


@frozen
class Known:
    """One known failure.

    Args:
        ids: the cases that show it.
        kinds: of all findings that it excuses.
        withheld: digests of cases and kinds that are not public yet, instead of both; see `digest`.
        reason: why it is accepted.
        reference: the public report or advisory, or ``""``.
        helper: pattern of the helper's or the adapter's name; ``*`` for any.
        versions: of the helper, as PEP 440 writes them, such as ``>=0.170,<0.180``; empty for any.
        expires: the last day on which it excuses anything, or ``None``.
        flaky: whether it comes and goes; a pass is then no surprise.
        case: for generated items, the smallest case that shows it.
        line: of the file, from 1.
    """

    ids: tuple[Pattern, ...]
    kinds: frozenset[Kind]
    reason: str
    reference: str = ""
    helper: str = "*"
    versions: str = ""
    expires: date | None = None
    flaky: bool = False
    case: Case | None = None
    withheld: frozenset[str] = frozenset()
    line: int = field(default=0, eq=False)

    @property
    def words(self) -> str:
        """The reason with the reference."""
        return f"{self.reason} ({self.reference})" if self.reference else self.reason

    def about(self, requirement: str, case: str, ground: str | None = None) -> bool:
        """Tell whether it lists a case, on a ground or on any.

        Generated items are listed with the smallest case of a bug, all others without.
        """
        fits = is_generated(case) is (self.case is not None)
        return fits and any(each.matches(requirement, case, ground) for each in self.ids)

    def disclosed(self, helper: str, version: str, requirement: str, case: str) -> Known:
        """Return what it says of a case of a helper, its digests read; an entry in clear is returned as it is."""
        name = f"{requirement}[{case}]"
        kinds = [kind for kind in KINDS if self.withheld and digest(helper, version, name, kind) in self.withheld]
        return evolve(self, ids=(Pattern(requirement, case),), kinds=frozenset(kinds)) if kinds else self

    def applies_to(self, names: Collection[str], version: str) -> bool:
        """Tell whether it is about a helper of these names and this version; of an unknown version, only without."""
        if not any(fnmatchcase(name, self.helper) for name in names):
            return False
        found = _NUMBERS.search(version)
        return not self.versions or (found is not None and Version(found[0]) in SpecifierSet(self.versions))

    def expired(self, today: date) -> bool:
        """Tell whether its last day is over."""
        return self.expires is not None and today > self.expires


@define(frozen=True, slots=False)
class Baseline:
    """All known failures, in the order of the file.

    Args:
        known: one for each entry.
        name: the file's name, for messages.
    """

    known: tuple[Known, ...] = ()
    name: str = ""

    def place(self, known: Known) -> str:
        """Return where an entry stands, as editors take it."""
        return f"{self.name}:{known.line}"

    @cached_property
    def requirements(self) -> tuple[tuple[str, Known], ...]:
        """The requirements that ids name in full, each with its entry."""
        return tuple(
            (pattern.requirement, known)
            for known in self.known
            for pattern in known.ids
            if "*" not in pattern.requirement
        )


def digest(helper: str, version: str, name: str, kind: Kind) -> str:
    """Return what stands for a finding that is not public yet: SHA-256 in hexadecimal of the four words.

    Args:
        helper: the adapter's name.
        version: the helper's, as a report has it.
        name: the case's id, such as ``MASK-1[deny-absolute-file]``.
        kind: of the finding.
    """
    return hashlib.sha256(f"{helper} {version} {name} {kind}".encode()).hexdigest()


def is_generated(case: str) -> bool:
    """Tell whether an id is that of a generated item, not that of a case which one of them found."""
    return bool(_GENERATED.match(case))


def load_baseline(text: str, name: str, *, unexplained: bool = False) -> Baseline:
    """Read a baseline.

    Args:
        text: the file, decoded with ``surrogateescape``.
        name: the file's name, for messages.
        unexplained: whether an entry may still wait for its reason.

    Raises:
        NotationError: beginning ``NAME:LINE:`` and naming the key.
    """
    document = read_document(text, name)
    table = Table(document, document.values)
    table.format(FORMAT)
    table.close(("format", "known"))
    return Baseline(tuple(_known(row, unexplained=unexplained) for row in table.tables("known")), name)


def parse_id(text: str) -> Pattern:
    """Read an id or a pattern of ids.

    Raises:
        NotationError: where it is none.
    """
    found = _ID.fullmatch(text)
    if found is None:
        raise NotationError(f"'{text}' is no id", cure="write one such as MASK-2[alias-pair-*]")
    return Pattern(found["requirement"], found["case"], found["ground"] or "*")


def _known(row: Table, *, unexplained: bool) -> Known:
    row.close(KEYS)
    clear = "withheld" not in row.values
    known = Known(
        ids=row.texts("ids", parse_id, needed=clear),
        kinds=frozenset(row.texts("kinds", _kind, needed=clear)),
        withheld=frozenset(row.texts("withheld", _digest)),
        reason=_reason(row, unexplained=unexplained),
        reference=row.text("reference", ""),
        helper=row.text("helper", "*"),
        versions=row.parsed("version", _versions) if "version" in row.values else "",
        expires=row.day("expires"),
        flaky=row.flag("flaky"),
        case=_case(row.table("case")) if "case" in row.values else None,
        line=row.document.line((*row.path, "ids" if clear else "withheld")),
    )
    _check(row, known)
    return known


def _check(row: Table, known: Known) -> None:
    if "withheld" in row.values:
        if {"ids", "kinds", "case"} & row.values.keys():
            raise row.error("withheld", "'known.withheld' stands beside what it withholds", cure="make two entries")
        if not known.withheld:
            raise row.error("withheld", "'known.withheld' is empty", cure="write the digest of a case and a kind")
        return
    if not known.ids:
        raise row.error("ids", "'known.ids' is empty", cure="write the id of a case")
    if not known.kinds and not known.flaky:
        raise row.error("kinds", "'known.kinds' is empty", cure="write the kinds of findings that are known")
    for pattern in known.ids:
        generated = is_generated(pattern.case)
        if generated and known.case is None:
            raise row.error(
                "ids",
                f"'{pattern}' is a generated item",
                cause="one bug of it must not hide the next",
                cure="add [known.case], the smallest case of the bug, as boxproof baseline writes it",
            )
        if known.case is not None and not generated and "*" not in pattern.case:
            raise row.error("ids", f"'{pattern}' is no generated item", cure="leave out [known.case]")


def _reason(row: Table, *, unexplained: bool) -> str:
    reason = " ".join(row.text("reason").split())
    if not reason or (reason == UNEXPLAINED and not unexplained):
        raise row.error("reason", f"'known.reason' is '{reason}'", cure="write why this failure is accepted")
    return reason


def _kind(text: str) -> Kind:
    for kind in KINDS:
        if kind == text:
            return kind
    raise NotationError(f"'{text}' is no kind of finding", cure=nearest(text, KINDS))


def _digest(text: str) -> str:
    if not _DIGEST.fullmatch(text):
        raise NotationError(f"'{text}' is no digest", cure="write the 64 digits that sha256sum prints")
    return text


def _versions(text: str) -> str:
    try:
        return str(SpecifierSet(text, prereleases=True))
    except InvalidSpecifier:
        raise NotationError(f"'{text}' is no range of versions", cure="write one such as '>=0.170,<0.180'") from None


def _case(table: Table) -> Case:
    table.close(CASE_KEYS)
    topology: Topology = read_topology(table)
    policy: Policy = read_policy(table.table("policy"))
    return Case("known", "START-1", "a known bug", topology, policy)
