# SPDX-License-Identifier: MIT
"""What the end of a run says: counts, distinct bugs, known failures, and entries of the baseline to look at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from boxproof.model.baseline import Baseline
from boxproof.model.case import LEVELS
from boxproof.model.casefile import load_case
from boxproof.model.outcome import Verdict
from boxproof.model.policy import format_rule
from boxproof.model.quote import cut
from boxproof.model.result import Result, SmallestCase
from boxproof.report.matrix import counts, gist
from boxproof.surface.engine import Engine

_SHOWN: Final = 3
"""Items that are named for one bug, and failures for one helper."""
_TOLD: Final = frozenset({Verdict.FAIL, Verdict.FLAKY, Verdict.UNEXPECTED_PASS, Verdict.ERROR})


def of_helper(results: Sequence[Result], name: str, *, apart: bool) -> Iterator[str]:
    """Iterate over what a run says of one helper: counts in all and by level, and the first failures in short.

    Args:
        results: of the helper; those of each place are counted apart.
        name: the helper's.
        apart: whether the run had several places, so that each is named.
    """
    for ground in dict.fromkeys(result.ground for result in results):
        own = [result for result in results if result.ground == ground]
        yield f"{name}{f' on {ground}' if apart else ''}: {counts(own)}"
        levels = {level: [row for row in own if row.level == level] for level in LEVELS}
        used = {level: rows for level, rows in levels.items() if rows}
        if len(used) > 1:
            yield from (f"  {level:<6} {counts(rows)}" for level, rows in used.items())
    wrong = sorted((row for row in results if row.verdict in _TOLD), key=lambda row: LEVELS.index(row.level))
    yield from (f"  {row.id}: {cut(gist(row))}" for row in wrong[:_SHOWN])
    if len(wrong) > _SHOWN:
        yield f"  and {len(wrong) - _SHOWN} more"


def distinct_bugs(results: Iterable[Result]) -> Iterator[str]:
    """Iterate over the bugs that generated items found and no baseline lists, each once, with all that found it."""
    found: dict[tuple[str, ...], list[tuple[Result, SmallestCase]]] = {}
    for result in results:
        for bug in result.bugs:
            if not bug.known:
                found.setdefault((result.helper, bug.fingerprint, *bug.kinds), []).append((result, bug))
    for (helper, _, *kinds), seen in found.items():
        names = [result.id for result, _ in seen]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        yield f"{helper}: {', '.join(kinds)}: {_rules(seen[0][1])}: {', '.join(names[:_SHOWN])}{more}"


def known_failures(baseline: Baseline, used: Mapping[str, int]) -> Iterator[str]:
    """Iterate over the entries that excused something, each with how many cases."""
    for known in baseline.known:
        if number := used.get(str(known.line), 0):
            yield f"{baseline.place(known)}: {number} {'case' if number == 1 else 'cases'}: {known.words}"


def notes(engine: Engine, collected: Collection[tuple[str, str]]) -> Iterator[str]:
    """Iterate over entries that have expired, and those that are about no case.

    Args:
        engine: holds the baseline and the helpers.
        collected: requirement and id of every case there is; empty where only a part of them was collected.
    """
    listings = [engine.listing(subject) for subject in engine.subjects]
    for known in engine.baseline.known:
        place = engine.baseline.place(known)
        if any(known in listing.expired for listing in listings):
            yield f"{place} excuses nothing since {known.expires}: {known.words}"
        elif known.case is None or engine.options.examples:
            own = [listing for listing in listings if known in listing.known]
            if own and collected and not any(each.lists(known, *case) for each in own for case in collected):
                yield f"{place} is about no case of this run: {', '.join(map(str, known.ids)) or 'withheld'}"


def _rules(bug: SmallestCase) -> str:
    return "; ".join(map(format_rule, load_case(bug.case, "case").policy.rules)) or "no rule"
