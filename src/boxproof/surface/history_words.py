# SPDX-License-Identifier: MIT
"""A history in words: a line for each version that was tried, and a sentence; or the same as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from boxproof.surface.history import Answer, Change, History

_ENDS: Final = (40, 70)
"""Characters of a long line of evidence that are shown on a terminal: who speaks, and the cause. JSON has all of it."""
_WORDS: Final = {True: "fails", False: "passes"}


def lines(history: History) -> Iterator[str]:
    """Iterate over a table of the versions that were tried, and what it comes to."""
    tried = sorted(history.answers.items())
    rows = [(history.versions[number], *_cells(answer)) for number, answer in tried]
    version, verdict = (max(len(row[column]) for row in rows) for column in (0, 1))
    for row in rows:
        yield f"{row[0]:<{version}}  {row[1]:<{verdict}}  {_shortened(row[2])}".rstrip()
    yield from sentences(history)


def sentences(history: History) -> Iterator[str]:
    """Iterate over what the history comes to: where it changes, and how sure that is."""
    if not history.told:
        yield "no version can be judged"
        return
    yield _changes(history) if history.changes else _same(history)
    if not history.complete:
        left = len(history.versions) - len(history.answers)
        yield f"{left} of {len(history.versions)} versions were not tried{_assumed(history)}; --all tries each"


def as_json(history: History) -> dict[str, Any]:
    """Return the history in plain JSON types; a version that was not tried has no verdict."""
    return {
        "versions": [_row(history, number) for number in range(len(history.versions))],
        "changes": [_change_row(history, change) for change in history.changes],
        "complete": history.complete,
        "fails": history.fails,
        "says": list(sentences(history)),
    }


def _shortened(line: str) -> str:
    head, tail = _ENDS
    return line if len(line) <= head + tail else f"{line[:head]} ... {line[-tail:]}"


def _cells(answer: Answer) -> tuple[str, str]:
    if answer.fails is None:
        return "cannot tell", f"{answer.verdict.value}: {answer.evidence}"
    return " ".join((answer.verdict.value, *answer.kinds)), answer.evidence


def _changes(history: History) -> str:
    told = "; ".join(_change(history, change) for change in history.changes)
    newest = history.told[-1]
    which = "the newest" if newest == len(history.versions) - 1 else "the newest that can be judged"
    return f"{told}; {which}, {history.versions[newest]}, {_WORDS[history.answers[newest].fails is True]}"


def _change(history: History, change: Change) -> str:
    between = [history.versions[number] for number in range(change.after + 1, change.by)]
    silent = f" (of {', '.join(between)} nothing can be told)" if between else ""
    return f"{change.what} between {history.versions[change.after]} and {history.versions[change.by]}{silent}"


def _same(history: History) -> str:
    oldest, newest = (history.versions[history.told[end]] for end in (0, -1))
    word = _WORDS[history.answers[history.told[0]].fails is True]
    if not history.complete:
        return f"{word} in the oldest, {oldest}, and in the newest, {newest}"
    told, untold = len(history.told), len(history.versions) - len(history.told)
    which = f"all {told} versions" if told > 1 else "the only version"
    return f"{word} in {which}" + (f"; of {untold} more nothing can be told" if untold else "")


def _assumed(history: History) -> str:
    """Say what is taken for granted of those between."""
    return " and are taken to answer as those around them" if history.changes else ", and may answer otherwise"


def _row(history: History, number: int) -> dict[str, Any]:
    answer = history.answers.get(number)
    said = {"verdict": answer.verdict.value, "kinds": list(answer.kinds), "evidence": answer.evidence} if answer else {}
    return {"version": history.versions[number], "tried": answer is not None, **said}


def _change_row(history: History, change: Change) -> dict[str, Any]:
    return {"what": change.what, "after": history.versions[change.after], "by": history.versions[change.by]}
