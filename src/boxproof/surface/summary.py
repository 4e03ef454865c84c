# SPDX-License-Identifier: MIT
"""What the end of a run says: counts, distinct bugs, known failures, and entries of the baseline to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from boxproof.model.baseline import Baseline, Known
from boxproof.model.casefile import load_case
from boxproof.model.outcome import Verdict
from boxproof.model.policy import format_rule
from boxproof.model.result import Result, SmallestCase
from boxproof.surface.engine import Engine

_SHOWN: Final = 3
"""Items that are named for one bug."""


def counts(results: Collection[Result]) -> str:
    """Return how many results have each verdict."""
    verdicts = Counter(result.verdict for result in results)
    words = [f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict]]
    refused = sum(result.launch == "refused" and result.verdict is Verdict.PASS for result in results)
    return ", ".join(words) + (f" ({refused} by an allowed refusal)" if refused else "")


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
        elif collected and any(known in listing.known for listing in listings) and _unused(known, engine, collected):
            yield f"{place} is about no case of this run: {', '.join(map(str, known.ids))}"


def _unused(known: Known, engine: Engine, collected: Collection[tuple[str, str]]) -> bool:
    if known.case is not None and not engine.options.examples:
        return False
    return not any(known.about(requirement, case) for requirement, case in collected)


def _rules(bug: SmallestCase) -> str:
    return "; ".join(map(format_rule, load_case(bug.case, "case").policy.rules)) or "no rule"
