# SPDX-License-Identifier: MIT
"""From findings to what a shell script can check: which probes it needs, and how it tells that the fault is there.

By bytes, as the judge does: content that comes out, marks that land in files, names that appear. A denial counts only
beside its control: the same probe, in the same farm, must do something without the helper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import frozen

from boxproof.model.case import Case
from boxproof.model.names import escape
from boxproof.model.oracle import expect
from boxproof.model.outcome import Expectation, Finding, Kind
from boxproof.model.probe import MUTATING, Probe, format_probe
from boxproof.model.relations import object_of
from boxproof.model.resolve import Tree
from boxproof.model.topology import Mount, Socket
from boxproof.report.shelltests import WRITING, Lines, bare, copied, place_of, secret_of

LAUNCH: Final[frozenset[Kind]] = frozenset({"no-start", "crash", "hang", "silent", "status-lost"})
"""Kinds that are about how the launch ended."""
_UNSEEN: Final[Mapping[str, str]] = {
    "leftover": "it is about a process that outlives the helper",
    "order-sensitive": "it shows only between two runs, with the rules in two orders",
    "stream-dirty": "it is about single bytes between the command's own",
}
_CHANGING: Final = MUTATING | WRITING | {"touch"}
_MOST: Final = 2
"""Probes of one operation that must not succeed: more of them make a script longer and no surer."""
_COMPILED: Final = frozenset({"exchange", "connect"})


@frozen
class Checks:
    """What a script does to find a fault again.

    Args:
        cannot: why no script can, or ``""``.
        probes: numbers of the case's probes that the command tries, in order.
        control: those of them that a finding is about: without the helper each of them must do something.
        forbidden: those of the control that must do nothing with it.
        before: lines that note how the host is before the launch.
        always: lines that find what counts whatever became of the launch.
        launch: whether the launch itself is the fault.
        ran: lines that count only where the command ran to its end.
        refusable: whether a refusal is allowed.
        canary: whether the command tries to write a file that no rule names.
        refused: whether the policy must be refused.
        related: whether all that counts is that two policies come to the same.
    """

    cannot: str = ""
    probes: tuple[int, ...] = ()
    control: tuple[int, ...] = ()
    forbidden: frozenset[int] = frozenset()
    before: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    launch: bool = False
    ran: tuple[str, ...] = ()
    refusable: bool = False
    canary: bool = False
    refused: bool = False
    related: bool = False

    @property
    def plain(self) -> bool:
        """Whether it matters that the helper starts with another policy: a refusal must not be one of all policies."""
        return self.launch or self.refusable or self.refused or self.related


def checks_for(case: Case, findings: Sequence[Finding], farm: str, variables: Mapping[str, str]) -> Checks:
    """Return how a script for `case` finds `findings` again.

    Args:
        case: as it was run, derived probes included.
        findings: what was found.
        farm: the path that stands for the farm, below the path that stands for its base folder.
        variables: as `shellwords.word` takes them.
    """
    seen = [finding for finding in findings if case.relation or finding.kind not in _UNSEEN]
    cannot = _cannot(case, findings, seen)
    if cannot:
        return Checks(cannot)
    if case.relation:
        return _compared(case, findings, Tree(case.topology, farm))
    plan = _Plan(case, expect(case, farm), farm, variables)
    return plan.checks(seen)


def _cannot(case: Case, findings: Sequence[Finding], seen: Sequence[Finding]) -> str:
    if any(isinstance(entry, Mount) for entry in case.topology):
        return "the farm has mounts"
    if any(isinstance(entry, Socket) for entry in case.topology):
        return "the farm has a socket, which no shell can make"
    operations = {probe.operation for probe in (*case.probes, *case.then)} & _COMPILED
    if operations:
        return f"no shell can {' or '.join(sorted(operations))}"
    if case.then:
        return "it takes a second run of the helper"
    if seen:
        return ""
    return next((_UNSEEN[finding.kind] for finding in findings), "the launches differ, and none of them is wrong")


def _compared(case: Case, findings: Sequence[Finding], tree: Tree) -> Checks:
    """Return the probes whose outcome differs between two policies."""
    about = {(finding.seen.partition(":")[0], finding.path) for finding in findings}
    objects = [escape(object_of(probe, tree).removeprefix(f"{tree.farm}/")) for probe in case.probes]
    asked = enumerate(zip(case.probes, objects, strict=True))
    numbers = tuple(number for number, (probe, real) in asked if (probe.operation, real) in about)
    return Checks(probes=numbers, control=numbers, related=True)


@frozen
class _Plan:
    case: Case
    expectation: Expectation
    farm: str
    variables: Mapping[str, str]

    def checks(self, findings: Sequence[Finding]) -> Checks:
        direct = {number for finding in findings for number in self._direct(finding)}
        loose = [finding for finding in findings if not self._is_seen(finding)]
        if loose and not direct and len(loose) == len(findings):
            return Checks(f"what shows it is not known: {loose[0].seen}")
        direct = self._few(direct)
        probes = self._with_earlier(direct, findings)
        lines = Lines(self.case, self.expectation, self.farm, self.variables, self._changes(probes))
        forbidden = frozenset(number for number in direct if not lines.may_succeed(number))
        return Checks(
            probes=probes,
            control=tuple(sorted(direct)),
            forbidden=forbidden,
            before=_once(line for finding in findings for line in lines.before(finding)),
            always=_once([*(line for finding in findings for line in lines.always(finding)), *lines.excess(direct)]),
            launch=any(finding.kind in LAUNCH for finding in findings),
            ran=_once(line for finding in findings for line in lines.ran(finding, self._direct(finding))),
            refusable="refused" in self.expectation.launch,
            refused=any(finding.kind == "not-refused" for finding in findings),
            canary=any(finding.kind == "unsandboxed" for finding in findings),
        )

    def _few(self, direct: set[int]) -> set[int]:
        """Return the probes but for those that must not succeed and come after several of their operation."""
        few: dict[str, list[int]] = {}
        for number in sorted(direct):
            free = self.expectation.probes[number].outcomes & {"allowed", "any"}
            operation = self.case.probes[number].operation
            few.setdefault(str(number) if free else "write" if operation in WRITING else operation, []).append(number)
        return {number for numbers in few.values() for number in numbers[:_MOST]}

    def _is_seen(self, finding: Finding) -> bool:
        """Tell whether there is a line that finds what is wrong."""
        own = finding.kind in LAUNCH | {"not-refused", "repeated", "unsandboxed"} or bool(self._direct(finding))
        return own or bool(place_of(finding, self.farm)) or bool(copied(finding, self.case))

    def _changes(self, probes: Sequence[int]) -> bool:
        return any(self.case.probes[number].operation in _CHANGING for number in probes)

    def _direct(self, finding: Finding) -> tuple[int, ...]:
        """Return the probes that a finding names, in its own words."""
        if finding.kind in LAUNCH:
            return ()
        if finding.expected.startswith("at least one spelling"):
            return next((group for group in self.expectation.one_of if self._is_of(group, finding)), ())
        # one that may come to anything can have the same words as one that has been judged
        free = bool(secret_of(finding, self.case))
        asked = [number for number, one in enumerate(self.expectation.probes) if free or "any" not in one.outcomes]
        return tuple(number for number in asked if _names(finding, self.case.probes[number]))

    def _is_of(self, group: tuple[int, ...], finding: Finding) -> bool:
        return escape(self.expectation.probes[group[0]].real.removeprefix(f"{self.farm}/")) == finding.path

    def _with_earlier(self, direct: set[int], findings: Sequence[Finding]) -> tuple[int, ...]:
        """Add the probes after which the direct ones find another tree; all of them where no single one is known."""
        by_command = any(f.kind in {"escape", "leak"} and not self._direct(f) for f in findings)
        last = len(self.case.probes) if by_command else max(direct, default=0)
        wanted = _CHANGING if by_command else MUTATING
        earlier = {number for number in range(last) if self.case.probes[number].operation in wanted}
        return tuple(sorted(direct | earlier))


def _names(finding: Finding, probe: Probe) -> bool:
    return finding.expected.startswith(f"{format_probe(bare(probe))}: ") or f"`{format_probe(probe)}`" in finding.seen


def _once(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
