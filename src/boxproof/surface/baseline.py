# SPDX-License-Identifier: MIT
"""What a baseline makes of verdicts: a listed failure is expected, a listed case that passes is a surprise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

from attrs import evolve, frozen

from boxproof.errors import BoxproofError, NotationError, nearest
from boxproof.helpers.base import Adapter, Helper
from boxproof.model.baseline import Baseline, Known, load_baseline
from boxproof.model.outcome import Kind, Verdict
from boxproof.model.requirement import Contract
from boxproof.model.result import Result
from boxproof.report.json import dict_of_result
from boxproof.surface.verdicts import Judged

KNOWN = "known"
"""Key in a row under which the lines of the baseline stand that it is excused by, each with how many cases."""


def read_baseline(path: Path | None, contract: Contract) -> Baseline:
    """Read the file that ``--baseline`` names, an empty one where there is none.

    Raises:
        BoxproofError: naming the file, the line and the key.
    """
    if path is None:
        return Baseline()
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise BoxproofError(f"the baseline '{path}' cannot be read", cause=error.strerror or "") from error
    baseline = load_baseline(text, path.name)
    for requirement, known in baseline.requirements:
        if requirement not in contract:
            what = f"{baseline.place(known)}: 'known.ids': '{requirement}' is no requirement"
            raise NotationError(what, cure=nearest(requirement, contract))
    return baseline


@frozen
class Listing:
    """The entries of a baseline that are about one helper, as they count today.

    Args:
        baseline: the file.
        known: the entries.
        today: decides which have expired.
        helper: the adapter's name, of which digests are made.
        version: the helper's.
    """

    baseline: Baseline
    known: tuple[Known, ...] = ()
    today: date = date.min
    helper: str = ""
    version: str = ""

    @property
    def expired(self) -> tuple[Known, ...]:
        """The entries whose last day is over."""
        return tuple(known for known in self.known if known.expired(self.today))

    @property
    def current(self) -> tuple[Known, ...]:
        """The entries that excuse something."""
        return tuple(known for known in self.known if not known.expired(self.today))

    def judged(self, judged: Judged) -> Judged:
        """Return a verdict as the baseline wants it; one that is not listed stays as it is."""
        result = judged.result
        if result.verdict not in {Verdict.PASS, Verdict.FAIL, Verdict.FLAKY}:
            return judged
        current = self._about(self.current, result)
        if result.verdict is Verdict.PASS:
            surprising = [] if any(known.flaky for known in current) else current
            return self._surprise(judged, surprising) if surprising else judged
        doubts = list(self._doubts(result, current))
        if current and not doubts:
            return _expected(judged, current)
        return _noted(judged, [*doubts, *self._over(result)])

    def lists(self, known: Known, requirement: str, case: str) -> bool:
        """Tell whether an entry is about a case, in clear or not, on any ground."""
        return self._read(known, requirement, case).about(requirement, case)

    def surprise(self, known: Known) -> str:
        """Return what is said of an entry whose case passes."""
        return f"{self.baseline.place(known)} lists a failure that is gone: {known.words}"

    def _doubts(self, result: Result, listed: Sequence[Known]) -> Iterator[str]:
        """Iterate over what keeps a listed failure from being expected."""
        new = _kinds(result) - frozenset[Kind]().union(*(known.kinds for known in listed))
        places = ", ".join(map(self.baseline.place, listed))
        if listed and new:
            yield f"{', '.join(sorted(new))} is new here: {places} does not list it"
        elif listed and result.verdict is Verdict.FLAKY and not any(known.flaky for known in listed):
            yield f"{places} lists it, but not as flaky"

    def _over(self, result: Result) -> Iterator[str]:
        for known in self._about(self.expired, result):
            yield f"{self.baseline.place(known)} listed it until {known.expires}"

    def _about(self, entries: Iterable[Known], result: Result) -> list[Known]:
        read = (self._read(known, result.requirement, result.case) for known in entries)
        return [known for known in read if known.about(result.requirement, result.case, result.ground)]

    def _read(self, known: Known, requirement: str, case: str) -> Known:
        return known.disclosed(self.helper, self.version, requirement, case)

    def _surprise(self, judged: Judged, known: Sequence[Known]) -> Judged:
        reason = "; ".join(map(self.surprise, known))
        result = evolve(judged.result, verdict=Verdict.UNEXPECTED_PASS, reason=reason)
        text = f"unexpected pass: {result.requirement} is met\n{reason}\ntake {result.id} out of the baseline"
        return told(result, text, known)


def listing(baseline: Baseline, adapter: Adapter, helper: Helper, today: date) -> Listing:
    """Return what of a baseline is about a helper."""
    names = {adapter.name, helper.name}
    known = tuple(known for known in baseline.known if known.applies_to(names, helper.version))
    return Listing(baseline, known, today, adapter.name, helper.version)


def told(result: Result, text: str, known: Iterable[Known] = ()) -> Judged:
    """Return a result with the words for it, and the entries that had a say."""
    lines = {str(each.line): 1 for each in known}
    return Judged(result, {**dict_of_result(result), "text": text, KNOWN: lines}, text)


def _expected(judged: Judged, known: Sequence[Known]) -> Judged:
    reason = "; ".join(dict.fromkeys(each.words for each in known))
    # what is not public yet is told as if it were new, with the advice to report it in private
    text = judged.text if any(each.withheld for each in known) else ""
    return told(evolve(judged.result, verdict=Verdict.EXPECTED_FAIL, reason=f"known: {reason}"), text, known)


def _noted(judged: Judged, notes: Sequence[str]) -> Judged:
    """Return a failure with what the baseline says of it, below its first line."""
    if not notes:
        return judged
    result = evolve(judged.result, reason="; ".join(filter(None, [judged.result.reason, *notes])))
    first, _, rest = judged.text.partition("\n")
    return told(result, "\n".join([first, *notes, rest]))


def _kinds(result: Result) -> frozenset[Kind]:
    return frozenset(finding.kind for finding in result.findings)
