# SPDX-License-Identifier: MIT
"""Two reports side by side: what a helper does now that it did not do before.

Only what the helper did is compared. A failure that a baseline excuses is a failure, and one that it misses a pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias, get_args

from attrs import frozen

from boxproof.model.outcome import SECURITY, Kind, Verdict
from boxproof.model.result import Result
from boxproof.report.json import Report
from boxproof.report.plain import Json

FORMAT: Final = 1
Change: TypeAlias = Literal["broken", "fixed", "changed", "new", "gone", "same"]
CHANGES: Final[tuple[Change, ...]] = get_args(Change)
_FAILS: Final = frozenset({Verdict.FAIL, Verdict.FLAKY, Verdict.EXPECTED_FAIL})
_PASSES: Final = frozenset({Verdict.PASS, Verdict.UNEXPECTED_PASS})
_OPTIONS: Final = ("run_as", "repeat", "examples", "seed", "strategies", "helper_env")
"""Options that change what is seen of a helper."""


@frozen
class Key:
    """What makes two results comparable; `helper` is the adapter's name where that tells them apart."""

    requirement: str
    case: str
    helper: str
    ground: str
    condition: str

    @property
    def name(self) -> str:
        """The id, as people write it."""
        ground = "" if self.ground == "host" else f"@{self.ground}"
        return f"{self.requirement}[{self.case}]{ground}{f' {self.condition}' if self.condition else ''}"


@frozen
class Seen:
    """What a helper did in one case.

    Args:
        fails: whether it fails, ``None`` where nothing was learnt.
        verdict: as the report has it.
        kinds: of the findings, those of generated bugs included.
        bugs: of a generated item, the fingerprints with the kinds.
    """

    fails: bool | None
    verdict: Verdict
    kinds: frozenset[Kind]
    bugs: frozenset[tuple[str, ...]]

    def __str__(self) -> str:
        """Return the verdict and the kinds."""
        kinds = ", ".join(sorted(self.kinds))
        return f"{self.verdict.value} ({kinds})" if kinds else self.verdict.value


@frozen
class Row:
    """One case in both reports.

    Args:
        level: how binding it is.
    """

    key: Key
    level: str
    change: Change
    old: Seen | None
    new: Seen | None

    @property
    def breaks(self) -> bool:
        """Whether it is worse than before, at a level that can fail."""
        return self.change == "broken" and self.level != "RECORD"


@frozen
class Comparison:
    """Two reports side by side.

    Args:
        rows: one for each case, in the order of ids.
        notes: in what the runs differ beside the helper.
    """

    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    @property
    def broken(self) -> bool:
        """Whether anything is worse than before."""
        return any(row.breaks for row in self.rows)

    def of(self, change: Change) -> tuple[Row, ...]:
        """Return the cases with one kind of change."""
        return tuple(row for row in self.rows if row.change == change)

    def as_json(self) -> dict[str, Json]:
        """Return it in plain JSON types: a list for each kind of change, and how many are the same."""
        rows: dict[str, Json] = {name: list(map(_json, self.of(name))) for name in CHANGES if name != "same"}
        return {"format": FORMAT, "notes": list(self.notes), **rows, "same": len(self.of("same"))}


def compare(old: Report, new: Report) -> Comparison:
    """Compare a report with a later one."""
    before, after = _by_key(old), _by_key(new)
    keys = sorted({*before, *after}, key=lambda key: (key.requirement, key.case, key.helper, key.ground, key.condition))
    return Comparison(tuple(_row(key, before.get(key), after.get(key)) for key in keys), tuple(_notes(old, new)))


def _by_key(report: Report) -> Mapping[Key, Result]:
    adapters = Counter(row.adapter for row in report.helpers)
    labels = {row.name: row.adapter if adapters[row.adapter] == 1 else row.name for row in report.helpers}
    return {
        Key(each.requirement, each.case, labels.get(each.helper, each.helper), each.ground, each.condition): each
        for each in report.results
    }


def _row(key: Key, old: Result | None, new: Result | None) -> Row:
    before, after = _seen(old) if old else None, _seen(new) if new else None
    level = new.level if new else old.level if old else "MUST"
    return Row(key, level, _change(before, after), before, after)


def _seen(result: Result) -> Seen:
    # beside a surprise, other bugs of the same generated item may still be there
    failing = result.verdict in _FAILS or (result.verdict in _PASSES and bool(result.bugs))
    fails = failing if failing or result.verdict in _PASSES else None
    kinds = {finding.kind for finding in result.findings} | {kind for bug in result.bugs for kind in bug.kinds}
    return Seen(
        fails=fails,
        verdict=result.verdict,
        kinds=frozenset(kinds) if fails else frozenset(),
        bugs=frozenset((bug.fingerprint, *bug.kinds) for bug in result.bugs),
    )


def _change(old: Seen | None, new: Seen | None) -> Change:
    if old is None or new is None:
        return "gone" if new is None else "new"
    if old.fails is not None and new.fails is not None and old.fails is not new.fails:
        return "broken" if new.fails else "fixed"
    if old.fails and new.fails:
        if (new.kinds - old.kinds) & SECURITY:
            return "broken"
        return "same" if (old.kinds, old.bugs) == (new.kinds, new.bugs) else "changed"
    return "same" if old.fails is new.fails and (old.fails is False or old.verdict is new.verdict) else "changed"


def _notes(old: Report, new: Report) -> Iterator[str]:
    if old.run.suite != new.run.suite:
        yield f"the suite was {old.run.suite}, and is {new.run.suite}"
    if old.run.profile != new.run.profile:
        yield f"the profile was {old.run.profile}, and is {new.run.profile}"
    for name in _OPTIONS:
        was, now = old.run.options.get(name), new.run.options.get(name)
        if was != now:
            yield f"{name} was {was}, and is {now}"
    if old.host.kernel != new.host.kernel:
        yield f"the kernel was {old.host.kernel}, and is {new.host.kernel}"


def _json(row: Row) -> dict[str, Json]:
    return {
        "id": row.key.name,
        "requirement": row.key.requirement,
        "case": row.key.case,
        "helper": row.key.helper,
        "ground": row.key.ground,
        "condition": row.key.condition,
        "level": row.level,
        "old": _json_of(row.old),
        "new": _json_of(row.new),
    }


def _json_of(seen: Seen | None) -> Json:
    if seen is None:
        return None
    bugs: list[Json] = [*sorted(bug[0] for bug in seen.bugs)]
    return {"verdict": seen.verdict.value, "kinds": [*sorted(seen.kinds)], "bugs": bugs}
