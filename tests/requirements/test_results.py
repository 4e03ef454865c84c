# SPDX-License-Identifier: MIT
"""What is taken from reports into the file of results, and above all what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from boxproof.model.outcome import SECURITY, Kind, Verdict
from boxproof.report.json import Report, write_report
from tests.report.reports import FAIL, LEAK, PASS, of
from tests.requirements import results
from tests.requirements.results import Outcome, Release, main, read, releases_of, written

NO_START = evolve(FAIL, findings=(evolve(LEAK, kind="no-start"), evolve(LEAK, kind="host-change")))


def outcomes(report: Report) -> dict[str, Outcome]:
    (release,) = releases_of(report)
    return dict(release.outcomes)


def test_cases_are_counted_by_requirement_and_level() -> None:
    advice = evolve(NO_START, level="SHOULD", findings=(evolve(LEAK, kind="no-start"),))
    report = of(PASS, NO_START, advice, evolve(PASS, requirement="MASK-2"))
    assert outcomes(report) == {
        "START-1": Outcome(1, {}, ()),
        "MASK-2": Outcome(1, {"MUST": 1, "SHOULD": 1}, ("no-start", "host-change")),
    }


@pytest.mark.parametrize("kind", sorted(SECURITY))
def test_what_is_to_be_reported_in_private_is_not_told_nor_hinted_at(kind: Kind) -> None:
    finding = evolve(LEAK, kind=kind)
    mixed = of(PASS, NO_START, evolve(FAIL, findings=(finding,)))
    withheld = evolve(FAIL, findings=(finding,), verdict=Verdict.EXPECTED_FAIL, reason="known: not public yet")
    assert outcomes(mixed) == outcomes(of(PASS, NO_START, withheld)) == {"START-1": Outcome(1, {}, ())}


def test_what_a_baseline_lists_with_a_public_report_is_told() -> None:
    public = evolve(FAIL, verdict=Verdict.EXPECTED_FAIL, reason="known: masks are dropped (owner/name#1)")
    assert outcomes(of(public)) == {"MASK-2": Outcome(0, {"MUST": 1}, ("leak",))}


def test_a_backend_that_was_chosen_is_part_of_the_name() -> None:
    report = of(PASS)
    chosen = evolve(report, run=evolve(report.run, options={"helper_env": {"BACKEND": "landlock"}}))
    assert [release.name for release in releases_of(chosen)] == ["alpha-1.0-landlock"]


def test_what_was_not_judged_or_not_on_the_host_does_not_count() -> None:
    aside = [evolve(PASS, verdict=verdict) for verdict in (Verdict.NOT_APPLICABLE, Verdict.ERROR)]
    assert outcomes(of(*aside, evolve(PASS, evidence="layout"))) == {}


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    releases = tuple(releases_of(of(PASS, NO_START)))
    path = tmp_path / "results.toml"
    path.write_text(written(releases), encoding="utf-8")
    assert read(path) == releases


def test_a_release_is_replaced_and_others_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FILE", tmp_path / "results.toml")
    old = Release("alpha-1.0", "2025-01-01", "0.0.1", "Linux", "required", {})
    results.FILE.write_text(written([old, evolve(old, name="beta")]), encoding="utf-8")
    report = tmp_path / "report.json"
    write_report(of(PASS), str(report))
    assert main([str(report)]) == 0
    assert [(each.name, each.date) for each in read(results.FILE)] == [
        ("alpha-1.0", "2026-01-02"),
        ("beta", "2025-01-01"),
    ]


def test_what_is_no_report_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "FILE", tmp_path / "results.toml")
    assert main([str(tmp_path / "none.json")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not results.FILE.exists()
