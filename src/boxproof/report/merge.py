# SPDX-License-Identifier: MIT
"""Reports of shards, or of different helpers, as the report that one run would have written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from attrs import evolve

from boxproof.errors import ReportError
from boxproof.model.levels import PROFILES, profile_met
from boxproof.model.requirement import Contract
from boxproof.model.result import Result
from boxproof.report.json import HelperRow, Report, Run

_SAME: Final = ("suite", "profile", "partial", "requirements")
"""What of a run, its options aside, decides what a result means."""
_SHOWN: Final = 200


def merge(reports: Sequence[Report], names: Sequence[str], contract: Contract) -> Report:
    """Return one report for all: its results sorted, its summary and profile judged anew.

    Args:
        reports: at least one.
        names: of their files, for messages.
        contract: the requirements.

    Raises:
        ReportError: where they do not belong together, a shard is missing, or a result is there twice.
    """
    for report, name in zip(reports[1:], names[1:], strict=True):
        _check_alike(reports[0], report, names[0], name)
    _check_shards(reports, names)
    results = sorted((each for report in reports for each in report.results), key=_place)
    for one, other in pairwise(results):
        if _place(one) == _place(other):
            raise ReportError(f"{one.id} under {one.helper} is in two of the reports", cure="merge each report once")
    grounds = tuple({row.name: row for report in reversed(reports) for row in reversed(report.grounds)}.values())[::-1]
    return Report(_run(reports, results, contract), reports[0].host, _helpers(reports), tuple(results), grounds)


def _place(result: Result) -> tuple[str, str, str]:
    return result.helper, result.ground, result.id


def _check_alike(one: Report, other: Report, first: str, name: str) -> None:
    before, after = _terms(one.run), _terms(other.run)
    for key in before | after:
        if before.get(key) != after.get(key):
            cause = f"{key}: {after.get(key)}, not {before.get(key)}"
            raise ReportError(f"{name} is of another run than {first}", cause=cause[:_SHOWN])
    rows = {row.name: _identity(row) for row in one.helpers}
    for row in other.helpers:
        if rows.get(row.name, _identity(row)) != _identity(row):
            raise ReportError(f"{name} is about another {row.name} than {first}", cause="its SHA-256 differs")


def _terms(run: Run) -> dict[str, object]:
    return {**{key: getattr(run, key) for key in _SAME}, **run.options}


def _identity(row: HelperRow) -> tuple[object, ...]:
    return row.sha256, row.version, row.adapter, row.capabilities


def _check_shards(reports: Sequence[Report], names: Sequence[str]) -> None:
    """Check that either no report is a shard, or all shards are there, each once."""
    shards = [report.run.shard for report in reports]
    if not any(shards):
        return
    of = next(shard for shard in shards if shard).partition("/")[2]
    wanted = [f"{number}/{of}" for number in range(1, int(of) + 1)]
    for shard, name in zip(shards, names, strict=True):
        if shard not in wanted or shards.count(shard) > 1:
            what = f"is shard {shard}" if shard else "is no shard"
            raise ReportError(f"{name} {what}, which does not fit", cure=f"give each of {', '.join(wanted)} once")
    if missing := [shard for shard in wanted if shard not in shards]:
        raise ReportError(f"shard {', '.join(missing)} is missing", cure="give the reports of all shards")


def _helpers(reports: Sequence[Report]) -> tuple[HelperRow, ...]:
    return tuple({row.name: row for report in reversed(reports) for row in reversed(report.helpers)}.values())[::-1]


def _run(reports: Sequence[Report], results: Sequence[Result], contract: Contract) -> Run:
    run = reports[0].run
    asked = {result.requirement for result in results} if run.partial else set(run.requirements)
    known = Contract(tuple(row for row in contract.requirements if row.id in asked))
    strict = bool(run.options.get("strict"))
    met, unmet = profile_met(PROFILES[run.profile], known, results, partial=run.partial, strict=strict)
    return evolve(
        run,
        started=min(report.run.started for report in reports),
        seconds=max(report.run.seconds for report in reports),
        met=met,
        unmet=unmet,
        notes=tuple(dict.fromkeys(note for report in reports for note in report.run.notes)),
        shard="",
    )
