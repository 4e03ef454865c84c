# SPDX-License-Identifier: MIT
"""One verdict, one row and one text for all examples of a generated item, each distinct bug told once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve, field, frozen

from boxproof.model.baseline import Baseline, Known
from boxproof.model.canonical import bug_form, fingerprint
from boxproof.model.case import Case
from boxproof.model.casefile import dump_case
from boxproof.model.outcome import Finding, Judgement, Kind, Verdict
from boxproof.model.result import Result, SmallestCase
from boxproof.model.suite import GeneratedSource
from boxproof.report.json import dict_of_result
from boxproof.runner import Run
from boxproof.surface.baseline import KNOWN, Listing
from boxproof.surface.bugs import Bug, Found
from boxproof.surface.engine import Engine, Subject
from boxproof.surface.knownbugs import Checked, KnownBugs
from boxproof.surface.verdicts import Judged

_FAILED: Final = frozenset({Verdict.FAIL, Verdict.FLAKY})
_DIGITS: Final = 10


@frozen
class Outcome:
    """What came of all examples of one source.

    Args:
        runs: one for each example.
        found: the bugs behind those that failed.
        known: the entries of the baseline that have a say.
        fewer: why not all examples were run.
    """

    runs: tuple[Run, ...] = ()
    found: Found = field(factory=Found)
    known: KnownBugs = field(factory=lambda: KnownBugs(Listing(Baseline())))
    fewer: str = ""

    @property
    def launches(self) -> int:
        """How many times the helper was started."""
        checked = (each.run.launches for each in self.known.checked if each.run)
        return sum(run.launches for run in self.runs) + sum(checked) + self.found.launches


def verdict_on(outcome: Outcome) -> Run:
    """Return the verdict on all examples: the highest of what was learnt, `not-applicable` where nothing was."""
    runs = [*outcome.runs, *outcome.known.troubles]
    verdicts = [run.judgement.verdict for run in runs if run.judgement.verdict not in _FAILED]
    verdicts += [bug.run.judgement.verdict for bug in outcome.found.bugs]
    verdicts += [Verdict.EXPECTED_FAIL] if outcome.known.told(outcome.found) else []
    verdicts += [Verdict.UNEXPECTED_PASS] if outcome.known.gone else []
    verdict = max(verdicts, key=lambda each: each.rank)
    reasons = [run.judgement.reason for run in runs if run.judgement.verdict is verdict]
    told = verdict in {Verdict.ERROR, Verdict.NOT_APPLICABLE}
    endings = {run.judgement.launch for run in outcome.runs} - {""}
    launch = "ran" if "ran" in endings else next(iter(sorted(endings)), "")
    judgement = Judgement(verdict, reason=reasons[0] if told and reasons else "", launch=launch)
    return Run(outcome.runs[0].case, judgement)


@frozen
class Telling:
    """Words and rows for what came of all examples.

    Args:
        engine: writes what a reporter attaches.
        subject: the helper.
        source: what drew the examples.
        name: the item's.
        outcome: what came of them.
    """

    engine: Engine
    subject: Subject
    source: GeneratedSource
    name: str
    outcome: Outcome

    def judged(self, run: Run, seconds: float) -> Judged:
        """Return one result for all, its case file and replay line those of the first bug."""
        bugs = self.outcome.found.bugs
        each = [self.engine.judged(_named(bug, self.source), self.subject, self.name) for bug in bugs]
        first = each[0].result if each else None
        expected = self.outcome.known.told(self.outcome.found)
        result = Result(
            id=self.name,
            case=self.source.id,
            requirement=self.source.requirement,
            level=self.source.level,
            helper=self.subject.helper.name,
            ground=self.subject.place.name,
            evidence=self.subject.place.evidence,
            condition="",
            verdict=run.judgement.verdict,
            findings=self._findings(each),
            reason="; ".join(self._reasons(run)),
            launch=run.judgement.launch,
            launches=self.outcome.launches,
            seconds=round(seconds, 4),
            case_file=first.case_file if first else None,
            replay=first.replay if first else "",
            bugs=(*map(_smallest, bugs, each), *(_known_row(*pair) for pair in expected)),
        )
        text = "\n".join(self._text(result, each))
        lines = {str(entry.known.line): count for entry, count in expected}
        lines |= {str(known.line): 1 for known in self.outcome.known.gone}
        return Judged(result, {**dict_of_result(result), "text": text, KNOWN: lines}, text)

    def _findings(self, each: Sequence[Judged]) -> tuple[Finding, ...]:
        """Return those of the bugs, or where all are known those of the known cases."""
        if each:
            return tuple(finding for one in each for finding in one.result.findings)
        return tuple(finding for _, run in self.outcome.known.failing for finding in run.judgement.findings)

    def _reasons(self, run: Run) -> Iterator[str]:
        known = self.outcome.known
        if run.judgement.reason:
            yield run.judgement.reason
        yield from map(known.listing.surprise, known.gone)
        words = dict.fromkeys(entry.known.words for entry, _ in known.told(self.outcome.found))
        if words:
            yield f"known: {'; '.join(words)}"
        if self.outcome.runs:
            yield _counts(self.outcome.runs, self.outcome.found.bugs)
        if self.outcome.fewer:
            yield self.outcome.fewer

    def _text(self, result: Result, each: Sequence[Judged]) -> Iterator[str]:
        """Iterate over the words for all that is wrong, each bug as a failure of its own."""
        known, bugs = self.outcome.known, self.outcome.found.bugs
        if bugs:
            yield f"{_number(bugs)} of {result.id}; {result.reason}"
        elif known.gone:
            yield f"unexpected pass: {result.id}"
        yield from (f"{known.listing.surprise(gone)}; take the entry out of the baseline" for gone in known.gone)
        for number, (bug, one) in enumerate(zip(bugs, each, strict=True), start=1):
            yield f"--- {number} of {len(bugs)}: {bug.words}\n{one.text}"


def _counts(runs: Sequence[Run], bugs: Sequence[Bug]) -> str:
    verdicts = Counter(run.judgement.verdict for run in runs)
    refused = sum(run.judgement.launch == "refused" and run.judgement.verdict is Verdict.PASS for run in runs)
    words = [f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict]]
    words += [f"{refused} by an allowed refusal"] if refused else []
    words += [_number(bugs)] if bugs else []
    return f"{len(runs)} examples: {', '.join(words)}"


def _number(bugs: Sequence[Bug]) -> str:
    return f"{len(bugs)} distinct {'bug' if len(bugs) == 1 else 'bugs'}"


def _named(bug: Bug, source: GeneratedSource) -> Run:
    """Return the run under an id of its own, the same one for the same bug."""
    return evolve(bug.run, case=evolve(bug.run.case, id=f"{source.id}-{_fingerprint(bug.case)[:_DIGITS]}"))


def _smallest(bug: Bug, one: Judged) -> SmallestCase:
    kinds = _sorted({finding.kind for finding in one.result.findings} | {bug.fault.kind})
    return SmallestCase(
        fingerprint=_fingerprint(bug.case),
        kinds=kinds,
        examples=bug.number,
        case=dump_case(evolve(bug.case, id=one.result.case)),
        flaky=one.result.verdict is Verdict.FLAKY,
        case_file=one.result.case_file,
        replay=one.result.replay,
        command=one.result.shown.command if one.result.shown else "",
        stderr=one.result.shown.stderr if one.result.shown else (),
    )


def _known_row(entry: Checked, count: int) -> SmallestCase:
    known: Known = entry.known
    case: Case | None = entry.run.case if entry.run else known.case
    return SmallestCase(
        fingerprint=_fingerprint(case) if case else "",
        kinds=_sorted(known.kinds),
        examples=count,
        case=dump_case(case) if case else "",
        flaky=known.flaky,
        known=known.words,
    )


def _sorted(kinds: set[Kind] | frozenset[Kind]) -> tuple[Kind, ...]:
    return tuple(sorted(kinds))


def _fingerprint(case: Case) -> str:
    return fingerprint(bug_form(case))
