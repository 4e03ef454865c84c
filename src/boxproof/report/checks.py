# SPDX-License-Identifier: MIT
"""From findings to what a shell script can check: which probes it needs, and how it tells that the fault is there.

By bytes, as the judge does: content that comes out, marks that land in files, names that appear. What a probe reads
without the helper, in the same farm, is what it may or must not read with it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from boxproof.model.case import Case
from boxproof.model.names import FARM, escape, unescape
from boxproof.model.oracle import expect
from boxproof.model.outcome import Allowed, Expectation, Finding, Kind
from boxproof.model.policy import spelled_at
from boxproof.model.probe import MUTATING, Probe, format_probe
from boxproof.model.topology import File, Mount, Socket
from boxproof.report.shellwords import message, word

LAUNCH: Final[frozenset[Kind]] = frozenset({"no-start", "crash", "hang", "silent", "status-lost"})
"""Kinds that are about how the launch ended."""
_UNSEEN: Final[Mapping[str, str]] = {
    "leftover": "it is about a process that outlives the helper",
    "order-sensitive": "it shows only between two runs, with the rules in two orders",
    "stream-dirty": "it is about single bytes between the command's own",
}
_WRITING: Final = frozenset({"write", "create"})
_CHANGING: Final = MUTATING | _WRITING | {"touch"}
_COMPILED: Final = frozenset({"exchange", "connect"})


@frozen
class Checks:
    """What a script does to find a fault again.

    Args:
        cannot: why no script can, or ``""``.
        probes: numbers of the case's probes that the command tries, in order.
        control: those of them that must do something without the helper.
        before: lines that note how the host is before the launch.
        always: lines that find what counts whatever became of the launch.
        launch: whether the launch itself is the fault.
        ran: lines that count only where the command ran to its end.
        refusable: whether a refusal is allowed.
        canary: whether the command tries to write a file that no rule names.
        refused: whether the policy must be refused.
    """

    cannot: str = ""
    probes: tuple[int, ...] = ()
    control: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    launch: bool = False
    ran: tuple[str, ...] = ()
    refusable: bool = False
    canary: bool = False
    refused: bool = False

    @property
    def plain(self) -> bool:
        """Whether it matters that the helper starts with another policy: a refusal must not be one of all policies."""
        return self.launch or self.refusable or self.refused


def checks_for(case: Case, findings: Sequence[Finding], farm: str, variables: Mapping[str, str]) -> Checks:
    """Return how a script for `case` finds `findings` again.

    Args:
        case: as it was run, derived probes included.
        findings: what was found.
        farm: the path that stands for the farm, below the path that stands for its base folder.
        variables: as `shellwords.word` takes them.
    """
    seen = [finding for finding in findings if finding.kind not in _UNSEEN]
    cannot = _cannot(case, findings, seen)
    if cannot:
        return Checks(cannot)
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


@frozen
class _Plan:
    case: Case
    expectation: Expectation
    farm: str
    variables: Mapping[str, str]

    def checks(self, findings: Sequence[Finding]) -> Checks:
        direct = {number for finding in findings for number in self._direct(finding)}
        loose = [f for f in findings if f.kind not in LAUNCH and not self._direct(f) and not self._place(f)]
        loose = [f for f in loose if f.kind not in {"not-refused", "repeated", "unsandboxed"} and not self._copied(f)]
        if loose and not direct and len(loose) == len(findings):
            return Checks(f"what shows it is not known: {loose[0].seen}")
        probes = self._with_earlier(direct, findings)
        always = [line for finding in findings for line in self._always(finding, probes)]
        return Checks(
            probes=probes,
            control=tuple(number for number in probes if number in direct),
            before=tuple(dict.fromkeys(line for finding in findings for line in self._before(finding, probes))),
            always=tuple(dict.fromkeys(always)),
            launch=any(finding.kind in LAUNCH for finding in findings),
            ran=tuple(dict.fromkeys(line for finding in findings for line in self._ran(finding))),
            refusable="refused" in self.expectation.launch,
            refused=any(finding.kind == "not-refused" for finding in findings),
            canary=any(finding.kind == "unsandboxed" for finding in findings),
        )

    def _direct(self, finding: Finding) -> tuple[int, ...]:
        """Return the probes that a finding names, in its own words."""
        if finding.kind in LAUNCH:
            return ()
        if finding.expected.startswith("at least one spelling"):
            return next((group for group in self.expectation.one_of if self._is_of(group, finding)), ())
        # one that may come to anything can have the same words as one that has been judged
        asked = [number for number, one in enumerate(self.expectation.probes) if "any" not in one.outcomes]
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

    def _place(self, finding: Finding) -> str:
        """Return the path that a finding of a change on the host is about, with the farm's placeholder, or nothing."""
        change = finding.seen.partition(" ")[0]
        about = finding.kind in {"host-change", "escape"} and change in {"added", "removed", "changed"}
        if not about or finding.seen.startswith("changed (time)"):
            return ""
        if finding.path == FARM:
            return self.farm
        if finding.path.startswith("{base}"):
            return posixpath.dirname(self.farm) + unescape(finding.path.removeprefix("{base}"))
        return spelled_at(unescape(finding.path), self.farm)

    def _copied(self, finding: Finding) -> int:
        """Return the number of the token that lies at another name, from 1, or 0."""
        for number, entry in enumerate(self.case.topology.entries, start=1):
            text = f"the content of {escape(entry.path)} stays where it is"
            if isinstance(entry, File) and finding.kind == "leak" and finding.expected == text:
                return number
        return 0

    def _before(self, finding: Finding, probes: Sequence[int]) -> Iterator[str]:
        place, token = self._place(finding), self._copied(finding)
        if place and finding.seen.startswith("added") and not self._changes(probes):
            yield f"names=$(ls -A {word(posixpath.dirname(place), self.variables)})"
        elif place and finding.seen.startswith("changed"):
            yield f"facts=$(facts {word(place, self.variables)})"
        elif token:
            yield f'copies=$(holding "$salt.{token}")'

    def _changes(self, probes: Sequence[int]) -> bool:
        return any(self.case.probes[number].operation in _CHANGING for number in probes)

    def _always(self, finding: Finding, probes: Sequence[int]) -> Iterator[str]:
        place, token = self._place(finding), self._copied(finding)
        if finding.kind == "unsandboxed":
            test = '[ "$(cat "$base/outside/canary")" = untouched ]'
            yield f"{test} || {_wrong('a file that no rule names was written')}"
        elif finding.kind == "not-refused":
            yield f"""said began && {_wrong("the command ran, and this policy must be refused")}"""
        elif finding.kind == "repeated":
            yield f"""[ "$(grep -cx began "$base/out")" -lt 2 ] || {_wrong("the command ran more than once")}"""
        elif place:
            yield self._changed(
                finding, word(place, self.variables), word(posixpath.dirname(place), self.variables), probes
            )
        elif token:
            yield f"""[ "$(holding "$salt.{token}")" = "$copies" ] || {_wrong("denied content lies at another name")}"""
        else:
            yield from (line for number in self._direct(finding) for line in self._excess(number))

    def _changed(self, finding: Finding, place: str, folder: str, probes: Sequence[int]) -> str:
        wrong = _wrong(f"the host is not as it was: {finding.path} was {finding.seen}")
        if finding.seen.startswith("removed"):
            return f"present {place} || {wrong}"
        if finding.seen.startswith("changed"):
            return f'[ "$(facts {place})" = "$facts" ] || {wrong}'
        if self._changes(probes):
            return f"present {place} && {wrong}"
        return f'[ "$(ls -A {folder})" = "$names" ] || {wrong}'

    def _excess(self, number: int) -> Iterator[str]:
        """Iterate over the line that finds a probe that did too much."""
        probe, allowed = self.case.probes[number], self.expectation.probes[number]
        shown, count = format_probe(_bare(probe)), number + 1
        if probe.operation in _WRITING:
            right = word(allowed.real, self.variables) if allowed.real else ""
            if "allowed" not in allowed.outcomes:
                yield f"""[ -z "$(holding "run.{count}")" ] || {_wrong(f"{shown}: it landed on the host")}"""
            elif right:
                test = f"""[ -z "$(holding "run.{count}")" ] || grep -qx run.{count} {right}"""
                yield f"""{test} || {_wrong(f"{shown}: it landed in another file")}"""
        elif "allowed" not in allowed.outcomes:
            if probe.operation == "read":
                yield f"""leaked {count} && {_wrong(f"{shown}: its content came out")}"""
            else:
                yield f"""[ -z "$(answer {count})" ] || {_wrong(f"{shown}: it succeeded")}"""
        elif probe.operation == "read":
            test = f"""[ -z "$(answer {count})" ] || [ "$(answer {count})" = "$(answer {count} control)" ]"""
            yield f"""{test} || {_wrong(f"{shown}: another file's content came out")}"""

    def _ran(self, finding: Finding) -> Iterator[str]:
        """Iterate over the lines that find what must work and does not."""
        if finding.kind == "status-lost":
            yield f"""[ "$status" -eq 0 ] || {_wrong("the command's status, 0, is lost")}"""
        if finding.kind != "overblock":
            return
        numbers = self._direct(finding)
        if len(numbers) > 1 and finding.expected.startswith("at least one"):
            said = "".join(f"$(answer {number + 1})" for number in numbers)
            yield f"""[ -n "{said}" ] || {_wrong(f"{finding.path}: no spelling of it is readable")}"""
            return
        for number in numbers:
            yield self._missing(number, self.expectation.probes[number])

    def _missing(self, number: int, allowed: Allowed) -> str:
        probe, count = self.case.probes[number], number + 1
        shown = format_probe(_bare(probe))
        if probe.operation in _WRITING:
            place = word(allowed.real, self.variables)
            found = f"grep -qsx run.{count} {place}" if allowed.real else f'[ -n "$(holding "run.{count}")" ]'
            return f"{found} || {_wrong(f'{shown}: it must land on the host and did not')}"
        return f"""[ -n "$(answer {count})" ] || {_wrong(f"{shown}: it must work and did not")}"""


def _bare(probe: Probe) -> Probe:
    return evolve(probe, expected=frozenset())


def _names(finding: Finding, probe: Probe) -> bool:
    return finding.expected.startswith(f"{format_probe(_bare(probe))}: ") or f"`{format_probe(probe)}`" in finding.seen


def _wrong(text: str) -> str:
    return f"wrong {message(text)}"
