# SPDX-License-Identifier: MIT
"""Two reports side by side: what is broken, fixed, changed, new, gone."""

from __future__ import annotations

from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from boxproof.model.outcome import KINDS, Finding, Kind, Verdict
from boxproof.model.result import Result, SmallestCase
from boxproof.report.compare import compare
from boxproof.report.json import HelperRow, Report
from tests.report.reports import FAIL, of


def result(verdict: Verdict = Verdict.PASS, *kinds: Kind, **changed: Any) -> Result:  # noqa: ANN401 - the fields of a result
    findings = tuple(Finding(kind, "MASK-2", "that", "this") for kind in kinds)
    return evolve(FAIL, helper="codex-1", verdict=verdict, findings=findings, **changed)


def report(*results: Result, version: str = "1") -> Report:
    row = HelperRow(f"codex-{version}", "/codex", "0" * 64, version, "codex")
    named = tuple(evolve(each, helper=row.name) for each in results)
    return evolve(of(), helpers=(row,), results=named)


def change(old: Result, new: Result) -> tuple[str, bool]:
    done = compare(report(old), report(new, version="2"))
    (row,) = done.rows
    return row.change, done.broken


def test_what_passed_and_fails_is_broken() -> None:
    assert change(result(), result(Verdict.FAIL, "no-start")) == ("broken", True)


def test_what_a_baseline_excuses_is_broken_all_the_same() -> None:
    assert change(result(), result(Verdict.EXPECTED_FAIL, "no-start")) == ("broken", True)


def test_what_failed_and_passes_is_fixed() -> None:
    assert change(result(Verdict.FAIL, "no-start"), result()) == ("fixed", False)
    assert change(result(Verdict.EXPECTED_FAIL, "no-start"), result(Verdict.UNEXPECTED_PASS)) == ("fixed", False)


def test_another_kind_is_a_change_and_a_graver_one_is_broken() -> None:
    assert change(result(Verdict.FAIL, "no-start"), result(Verdict.FAIL, "crash")) == ("changed", False)
    assert change(result(Verdict.FAIL, "no-start"), result(Verdict.FAIL, "leak")) == ("broken", True)
    assert change(result(Verdict.FAIL, "leak"), result(Verdict.FAIL, "no-start")) == ("changed", False)


def test_how_a_failure_is_called_changes_nothing() -> None:
    assert change(result(Verdict.FAIL, "leak"), result(Verdict.EXPECTED_FAIL, "leak")) == ("same", False)


def test_a_verdict_about_nothing_is_no_fault_of_the_helper() -> None:
    assert change(result(), result(Verdict.ERROR)) == ("changed", False)
    assert change(result(Verdict.NOT_APPLICABLE), result(Verdict.ERROR)) == ("changed", False)
    assert change(result(Verdict.NOT_APPLICABLE), result(Verdict.NOT_APPLICABLE)) == ("same", False)


def test_a_record_never_fails() -> None:
    assert change(result(level="RECORD"), result(Verdict.FAIL, "leak", level="RECORD")) == ("broken", False)


def test_a_case_of_one_report_alone() -> None:
    done = compare(report(result(case="one")), report(result(Verdict.FAIL, "leak", case="two")))
    assert [(row.key.case, row.change) for row in done.rows] == [("one", "gone"), ("two", "new")]
    assert not done.broken


def test_another_bug_of_a_generated_item_is_a_change() -> None:
    one, other = (SmallestCase(name, ("no-start",), 3, "text") for name in ("a", "b"))
    old = result(Verdict.FAIL, "no-start", bugs=(one,))
    assert change(old, result(Verdict.FAIL, "no-start", bugs=(other,))) == ("changed", False)
    assert change(old, result(Verdict.EXPECTED_FAIL, bugs=(evolve(one, known="why", examples=9),))) == ("same", False)
    assert change(old, result(Verdict.UNEXPECTED_PASS, bugs=(evolve(one, known="why"),))) == ("same", False)


def test_several_helpers_of_one_adapter_are_told_apart_by_name() -> None:
    rows = tuple(HelperRow(name, "/c", "0" * 64, name[-1], "codex") for name in ("codex-1", "codex-2"))
    both = evolve(of(), helpers=rows, results=tuple(evolve(FAIL, helper=row.name) for row in rows))
    assert {row.key.helper for row in compare(both, both).rows} == {"codex-1", "codex-2"}


def test_what_else_differs_is_noted() -> None:
    run = evolve(of().run, profile="required", options={**of().run.options, "seed": 7})
    notes = compare(of(), evolve(of(), run=run)).notes
    assert [note.partition(" was ")[0] for note in notes] == ["the profile", "seed"]


VERDICTS = st.sampled_from(Verdict)
SEEN = st.builds(lambda verdict, kinds: result(verdict, *kinds), VERDICTS, st.sets(st.sampled_from(KINDS), max_size=2))


@given(SEEN)
def test_a_report_is_the_same_as_itself(seen: Result) -> None:
    assert change(seen, seen) == ("same", False)


@given(SEEN, SEEN)
def test_the_other_way_round_fixed_is_broken(old: Result, new: Result) -> None:
    there, back = change(old, new)[0], change(new, old)[0]
    assert (there == "fixed") <= (back == "broken")
    assert (there == "same") is (back == "same")
