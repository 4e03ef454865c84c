# SPDX-License-Identifier: MIT
"""The lines of a script that find a fault: each ends in ``wrong 'WORDS'``, which says so and ends the script.

A probe that must not succeed says ``denied NUMBER ...`` and leaves the mark ``denied.NUMBER``, any other ``NUMBER ...``
and ``mark.NUMBER``; every file holds the script's salt and the number of its entry.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from boxproof.model.case import Case
from boxproof.model.names import FARM, escape, unescape
from boxproof.model.outcome import Expectation, Finding
from boxproof.model.policy import spelled_at
from boxproof.model.probe import Probe, format_probe
from boxproof.model.topology import File, HardLink
from boxproof.report.shellwords import message, word

WRITING: Final = frozenset({"write", "create"})
"""Operations that leave a mark of their own."""


@frozen
class Lines:
    """The lines for one case.

    Args:
        case: as it was run, derived probes included.
        expectation: what may come of it.
        farm: the path that stands for the farm.
        variables: as `shellwords.word` takes them.
        changes: whether the command changes anything that is there.
    """

    case: Case
    expectation: Expectation
    farm: str
    variables: Mapping[str, str]
    changes: bool

    def may_succeed(self, number: int) -> bool:
        """Tell whether a probe may do what it tries."""
        return bool(self.expectation.probes[number].outcomes & {"allowed", "any"})

    def before(self, finding: Finding) -> Iterator[str]:
        """Iterate over the lines that note how the host is before the launch."""
        place, token = place_of(finding, self.farm), copied(finding, self.case)
        if place and finding.seen.startswith("added") and not self.changes:
            yield f"names=$(ls -A {self._word(posixpath.dirname(place))} 2>/dev/null)"
        elif place and finding.seen.startswith("changed"):
            yield f"facts=$(facts {self._word(place)})"
        elif token:
            yield f'copies=$(holding "$salt.{token}")'

    def always(self, finding: Finding) -> Iterator[str]:
        """Iterate over the lines that find what counts whatever became of the launch."""
        place, token = place_of(finding, self.farm), copied(finding, self.case)
        if finding.kind == "unsandboxed":
            test = '[ "$(cat "$base/outside/canary")" = untouched ]'
            yield f"{test} || {_wrong('a file that no rule names was written')}"
        elif finding.kind == "not-refused":
            yield f"said began && {_wrong('the command ran, and this policy must be refused')}"
        elif finding.kind == "repeated":
            yield f'[ "$(grep -cx began "$base/out")" -lt 2 ] || {_wrong("the command ran more than once")}'
        elif secret := secret_of(finding, self.case):
            yield f'grep -q " $salt.{secret}$" "$base/out" && {_wrong(f"the content of {finding.path} came out")}'
        elif place:
            wrong = _wrong(f"the host is not as it was: {finding.path} was {finding.seen}")
            yield self._changed(finding, place, wrong)
        elif token:
            yield f'[ "$(holding "$salt.{token}")" = "$copies" ] || {_wrong("denied content lies at another name")}'

    def excess(self, direct: Iterable[int]) -> Iterator[str]:
        """Iterate over the lines that find probes which did too much: one for all those that must do nothing."""
        forbidden = [number for number in sorted(direct) if not self.may_succeed(number)]
        reads = [number for number in forbidden if self._operation(number) == "read"]
        writes = [number for number in forbidden if self._operation(number) in WRITING]
        others = [number for number in forbidden if number not in {*reads, *writes}]
        if reads:
            yield f'grep -q "^denied .* $salt" "$base/out" && {_wrong(f"its content came out: {self._shown(reads)}")}'
        for number in (number for number in reads if not self._inside(number)):
            yield f'said "denied {number + 1} .*" && {_wrong(f"its content came out: {self._shown([number])}")}'
        if writes:
            yield f'[ -z "$(holding "denied.*")" ] || {_wrong(f"it landed on the host: {self._shown(writes)}")}'
        if others:
            yield f'said "denied .* ok" && {_wrong(f"it succeeded: {self._shown(others)}")}'
        yield from (line for number in sorted(direct) if self.may_succeed(number) for line in self._elsewhere(number))

    def ran(self, finding: Finding, numbers: Sequence[int]) -> Iterator[str]:
        """Iterate over the lines that find what must work and does not, where the command ran to its end.

        Args:
            finding: what was found.
            numbers: the probes that it is about.
        """
        if finding.kind == "status-lost":
            yield f'[ "$status" -eq 0 ] || {_wrong("the status of the command, 0, is lost")}'
        if finding.kind != "overblock":
            return
        if len(numbers) > 1 and finding.expected.startswith("at least one"):
            said = " || ".join(f'said "{number + 1} .*"' for number in numbers)
            yield f"{said} || {_wrong(f'{finding.path}: no spelling of it is readable')}"
        else:
            yield from map(self._missing, numbers)

    def _changed(self, finding: Finding, place: str, wrong: str) -> str:
        if finding.seen.startswith("removed"):
            return f"present {self._word(place)} || {wrong}"
        if finding.seen.startswith("changed"):
            return f'[ "$(facts {self._word(place)})" = "$facts" ] || {wrong}'
        if self.changes:
            return f"present {self._word(place)} && {wrong}"
        return f'[ "$(ls -A {self._word(posixpath.dirname(place))} 2>/dev/null)" = "$names" ] || {wrong}'

    def _elsewhere(self, number: int) -> Iterator[str]:
        """Iterate over the line that finds an allowed probe which reached another object than its own."""
        real, count = self.expectation.probes[number].real, number + 1
        if self._operation(number) in WRITING and real:
            test = f'[ -z "$(holding mark.{count})" ] || grep -qsx mark.{count} {self._word(real)}'
            yield f"{test} || {_wrong(f'it landed in another file: {self._shown([number])}')}"
        elif self._operation(number) == "read" and (token := self._token(real)):
            wrong = _wrong(f"the content of another file came out: {self._shown([number])}")
            yield f'! said "{count} .*" || said "{count} $salt.{token}" || {wrong}'

    def _missing(self, number: int) -> str:
        count, real = number + 1, self.expectation.probes[number].real
        if self._operation(number) in WRITING:
            found = f"grep -qsx mark.{count} {self._word(real)}" if real else f'[ -n "$(holding mark.{count})" ]'
            return f"{found} || {_wrong(f'it must land on the host and did not: {self._shown([number])}')}"
        return f'said "{count} .*" || {_wrong(f"it must work and did not: {self._shown([number])}")}'

    def _token(self, real: str) -> int:
        """Return the number of the entry whose content is at a canonical path, from 1, or 0."""
        by_path = self.case.topology.by_path
        entry = by_path.get(real.removeprefix(f"{self.farm}/"))
        first = by_path.get(entry.of) if isinstance(entry, HardLink) else entry
        return self.case.topology.entries.index(first) + 1 if isinstance(first, File) else 0

    def _inside(self, number: int) -> bool:
        real = self.expectation.probes[number].real
        return not real or real.startswith(f"{self.farm}/")

    def _operation(self, number: int) -> str:
        return self.case.probes[number].operation

    def _shown(self, numbers: Iterable[int]) -> str:
        return ", ".join(format_probe(bare(self.case.probes[number])) for number in numbers)

    def _word(self, path: str) -> str:
        return word(path, self.variables)


def bare(probe: Probe) -> Probe:
    """Return the probe without what the case says of its outcome."""
    return evolve(probe, expected=frozenset())


def place_of(finding: Finding, farm: str) -> str:
    """Return the path that a finding of a change on the host is about, with the farm's placeholder, or nothing."""
    change = finding.seen.partition(" ")[0]
    about = finding.kind in {"host-change", "escape"} and change in {"added", "removed", "changed"}
    if not about or finding.seen.startswith("changed (time)"):
        return ""
    if finding.path == FARM:
        return farm
    if finding.path.startswith("{base}"):
        return posixpath.dirname(farm) + unescape(finding.path.removeprefix("{base}"))
    return spelled_at(unescape(finding.path), farm)


def copied(finding: Finding, case: Case) -> int:
    """Return the number of the entry whose content lies at another name, from 1, or 0."""
    for number, entry in enumerate(case.topology.entries, start=1):
        text = f"the content of {escape(entry.path)} stays where it is"
        if isinstance(entry, File) and finding.kind == "leak" and finding.expected == text:
            return number
    return 0


def secret_of(finding: Finding, case: Case) -> int:
    """Return the number of the entry whose content came out by whatever way, from 1, or 0."""
    for number, entry in enumerate(case.topology.entries, start=1):
        text = f"nothing shows the content of {escape(entry.path)}"
        if isinstance(entry, File) and finding.kind == "leak" and finding.expected == text:
            return number
    return 0


def _wrong(text: str) -> str:
    return f"wrong {message(text)}"
