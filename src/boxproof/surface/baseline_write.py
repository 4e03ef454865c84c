# SPDX-License-Identifier: MIT
"""From a report to a baseline: an entry for what failed, and nothing of what a person has written is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import tomlkit
from attrs import evolve, frozen
from tomlkit.items import AoT, Array, Table

from boxproof.errors import NotationError
from boxproof.model.baseline import FORMAT, UNEXPLAINED, Known, Pattern, is_generated, load_baseline
from boxproof.model.case import Case
from boxproof.model.casefile import load_case
from boxproof.model.names import escape
from boxproof.model.outcome import Kind, Verdict
from boxproof.model.policy import format_rule
from boxproof.model.result import Result, SmallestCase
from boxproof.model.tomltext import multiline
from boxproof.model.tree import format_tree
from boxproof.report.json import HelperRow, Report

_WIDTH: Final = 100
"""Columns up to which an array stays on one line."""
_FAILED: Final = frozenset({Verdict.FAIL, Verdict.FLAKY})
_GONE: Final = frozenset({Verdict.PASS, Verdict.UNEXPECTED_PASS})


@frozen
class Defaults:
    """What new entries are given."""

    reason: str = UNEXPLAINED
    reference: str = ""


@frozen
class Written:
    """A baseline as text, and what was done to get it.

    Args:
        text: the file.
        added: entries that are new.
        kept: entries that were there.
        dropped: ids that were there and whose cases pass now.
    """

    text: str
    added: int
    kept: int
    dropped: tuple[str, ...] = ()


def write_baseline(report: Report, old: str = "", name: str = "", defaults: Defaults | None = None) -> Written:
    """Return the baseline after a run.

    What failed and is not listed gets an entry. Ids whose cases pass are taken out, and entries without an id left with
    them. All else, comments included, stays as it is.

    Args:
        report: of the run.
        old: the baseline that there is, empty for none.
        name: its name, for messages.
        defaults: what new entries are given.

    Raises:
        NotationError: where `old` is no baseline.
    """
    if not old.strip():
        old = f"format = {FORMAT}\n"
    known = load_baseline(old, name, unexplained=True).known
    document = tomlkit.parse(old)
    rows = document.get("known", AoT([]))
    if not isinstance(rows, AoT):
        raise NotationError(f"{name}: 'known' is written in one piece", cure="write each entry below [[known]]")
    tables: list[Any] = list(rows)
    dropped = tuple(_drop(report, known, tables))
    for number in reversed(range(len(tables))):
        if not _says_something(tables[number]):
            rows.pop(number)
    new = list(_new(report, known, defaults or Defaults()))
    kept = sum(map(_says_something, tables))
    return Written(tomlkit.dumps(document).rstrip() + "\n" + "".join(map(_text, new)), len(new), kept, dropped)


def _says_something(table: Any) -> bool:  # noqa: ANN401 - tomlkit has no type for rows of an AoT
    return bool(table.get("ids") or table.get("withheld"))


def _drop(report: Report, known: Sequence[Known], tables: Sequence[Any]) -> Iterator[str]:
    """Take out the ids whose every case passes, and iterate over them; flaky entries keep theirs."""
    for entry, table in zip(known, tables, strict=True):
        for pattern in () if entry.flaky else entry.ids:
            about = [result for result in _of_helper(report, entry) if _is_about(entry, pattern, result)]
            if about and all(_is_gone(entry, result) for result in about):
                table["ids"].remove(str(pattern))
                yield str(pattern)


def _is_about(entry: Known, pattern: Pattern, result: Result) -> bool:
    return evolve(entry, ids=(pattern,)).about(result.requirement, result.case, result.ground)


def _is_gone(entry: Known, result: Result) -> bool:
    """Tell whether a case passes; of a generated item, whether the bug is not found there any more."""
    if entry.case is None:
        return result.verdict in _GONE
    return result.verdict in {*_GONE, *_FAILED} and not any(bug.known == entry.words for bug in result.bugs)


def _of_helper(report: Report, entry: Known) -> Iterator[Result]:
    helpers = {row.name: row for row in report.helpers}
    for result in report.results:
        row = helpers.get(result.helper)
        if row is not None and entry.applies_to({row.name, row.adapter}, row.version):
            yield result


@frozen
class _Group:
    """Failures of one requirement with the same kinds, or one bug of generated cases."""

    helper: HelperRow
    kinds: tuple[Kind, ...]
    flaky: bool
    case: Case | None = None


def _new(report: Report, known: Sequence[Known], defaults: Defaults) -> Iterator[Known]:
    helpers = {row.name: row for row in report.helpers}
    groups: dict[tuple[object, ...], _Group] = {}
    ids: dict[tuple[object, ...], dict[Pattern, None]] = {}
    for result in report.results:
        helper = helpers.get(result.helper)
        for key, group in _groups(result, helper, known) if helper else ():
            groups.setdefault(key, group)
            ids.setdefault(key, {})[Pattern(result.requirement, result.case)] = None
    for key, group in groups.items():
        yield Known(
            ids=tuple(ids[key]),
            kinds=frozenset(group.kinds),
            reason=defaults.reason,
            reference=defaults.reference,
            helper=group.helper.adapter,
            flaky=group.flaky,
            case=group.case,
        )


def _groups(result: Result, helper: HelperRow, known: Sequence[Known]) -> Iterator[tuple[tuple[object, ...], _Group]]:
    """Iterate over what a result adds: nothing for what is listed already."""
    if result.verdict in _FAILED and not is_generated(result.case):
        kinds = tuple(sorted({finding.kind for finding in result.findings}))
        flaky = result.verdict is Verdict.FLAKY
        if not _listed(result, helper, known, kinds, flaky=flaky):
            yield (helper.name, result.requirement, kinds, flaky), _Group(helper, kinds, flaky)
    for bug in _unknown(result.bugs):
        key = (helper.name, bug.fingerprint, bug.kinds, bug.flaky)
        yield key, _Group(helper, bug.kinds, bug.flaky, load_case(bug.case, result.id))


def _unknown(bugs: Iterable[SmallestCase]) -> Iterator[SmallestCase]:
    return (bug for bug in bugs if not bug.known)


def _listed(result: Result, helper: HelperRow, known: Sequence[Known], kinds: Sequence[Kind], *, flaky: bool) -> bool:
    place = result.requirement, result.case
    about = [
        entry
        for entry in (each.disclosed(helper.adapter, helper.version, *place) for each in known)
        if entry.applies_to({helper.name, helper.adapter}, helper.version) and entry.about(*place, result.ground)
    ]
    excused = frozenset[Kind]().union(*(entry.kinds for entry in about))
    return bool(about) and set(kinds) <= excused and (not flaky or any(entry.flaky for entry in about))


def _text(known: Known) -> str:
    """Return an entry as text, a blank line before it."""
    table = tomlkit.table()
    table.add("ids", _array(map(str, known.ids)))
    table.add("kinds", _array(sorted(known.kinds)))
    table.add("helper", known.helper)
    if known.flaky:
        table.add("flaky", value=True)
    table.add("reason", known.reason)
    if known.reference:
        table.add("reference", known.reference)
    if known.case is not None:
        table.add("case", _case(known.case))
    document = tomlkit.document()
    document.append("known", AoT([table]))
    return f"\n{tomlkit.dumps(document).strip()}\n"


def _case(case: Case) -> Table:
    policy = tomlkit.table()
    policy.add("cwd", escape(case.policy.cwd))
    policy.add("reads", case.policy.reads)
    policy.add("rules", _array(map(format_rule, case.policy.rules)))
    if case.policy.network:
        policy.add("network", value=True)
    if case.policy.tmp != "closed":
        policy.add("tmp", case.policy.tmp)
    table = tomlkit.table()
    table.add("tree", tomlkit.value(multiline(format_tree(case.topology))))
    table.add("policy", policy)
    return table


def _array(words: Iterable[str]) -> Array:
    array = tomlkit.array()
    array.extend(words)
    return array.multiline(len(array.as_string()) > _WIDTH)
