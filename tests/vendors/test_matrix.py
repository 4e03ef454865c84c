# SPDX-License-Identifier: MIT
"""The vendors' matrix over helpers that are here: what is as known, what is news, and what was not run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from attrs import evolve

from boxproof.model.outcome import Verdict
from boxproof.report.failure import PRIVATE
from boxproof.report.json import HelperRow, Report
from boxproof.surface.files import read_report_file
from tests.report.reports import FAIL, HOST, PASS, RUN
from tests.vendors import matrix as module
from tests.vendors.columns import Column, NotRun, columns, on_path, run
from tests.vendors.grid import grid
from tests.vendors.matrix import main, named, told
from tests.vendors.pins import FetchError, Vendor

ORDER = ("START-1", "MASK-2", "NAME-1")


def report(name: str, *verdicts: Verdict) -> Report:
    """Return a report on one helper, one case of MASK-2 for each verdict."""
    rows = tuple(
        evolve(FAIL, id=f"MASK-2[case-{number}]", case=f"case-{number}", verdict=verdict)
        for number, verdict in enumerate(verdicts)
    )
    helper = HelperRow("given", "/helper", "0" * 64, "1.0", "given")
    return named(Report(RUN, HOST, (helper,), rows), name)


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what makes the matrix of these columns and what their runs come to."""

    def pin(*found: Report | NotRun) -> None:
        names = [each.name if isinstance(each, NotRun) else each.helpers[0].name for each in found]
        wanted = [Column(name, Path("/helper"), "bwrap") for name in names]
        results = dict(zip(names, found, strict=True))
        monkeypatch.setattr(module, "columns", lambda *_: iter(wanted))
        monkeypatch.setattr(module, "on_path", lambda _names: iter(()))
        monkeypatch.setattr(module, "run", lambda column, _: results[column.name])

    return pin


@pytest.mark.parametrize(
    ("verdicts", "status"),
    (
        ([Verdict.PASS, Verdict.EXPECTED_FAIL, Verdict.NOT_APPLICABLE], 0),
        ([Verdict.PASS, Verdict.FAIL], 1),
        ([Verdict.PASS, Verdict.FLAKY], 1),
        ([Verdict.PASS, Verdict.UNEXPECTED_PASS], 1),
        ([Verdict.PASS, Verdict.ERROR], 1),
    ),
)
def test_only_what_is_known_passes(
    pinned: Callable[..., None], tmp_path: Path, verdicts: Sequence[Verdict], status: int
) -> None:
    pinned(report("alpha", *verdicts), report("beta", Verdict.PASS))
    assert main([f"--out={tmp_path}"]) == status
    whole = read_report_file(tmp_path / "vendors.json")
    assert [row.name for row in whole.helpers] == ["alpha", "beta"]
    assert len(whole.results) == len(verdicts) + 1
    assert "beta" in (tmp_path / "vendors.html").read_text("utf-8")
    assert "beta" in (tmp_path / "vendors.md").read_text("utf-8")


def test_what_was_not_run_never_passes(
    pinned: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pinned(report("alpha", Verdict.PASS), NotRun("beta", "status 4: there is no node"))
    assert main([f"--out={tmp_path}"]) == 1
    said = capsys.readouterr().out
    assert "  - beta: not run: status 4: there is no node" in said
    assert "1 run, 1 not run, 0 not as known" in said
    pinned(NotRun("beta", "no network"))
    assert main([f"--out={tmp_path}"]) == 1


def test_what_cannot_be_fetched_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_vendor: Vendor, _cache: Path) -> Path:
        raise FetchError("npm is not on PATH")

    monkeypatch.setattr("tests.vendors.columns.fetch", fails)
    vendor = Vendor("tool@1.0", "", helper="tool", version="1.0", binary="tool", adapter="codex")
    assert list(columns([vendor], tmp_path)) == [NotRun("tool-1.0", "npm is not on PATH")]


@pytest.mark.parametrize(("adapter", "backends"), (("codex", [""]), ("cursorsandbox", ["-landlock", "-bubblewrap"])))
def test_each_backend_has_a_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adapter: str, backends: Sequence[str]
) -> None:
    monkeypatch.setattr("tests.vendors.columns.fetch", lambda *_: tmp_path / "tool")
    vendor = Vendor("tool@1.0", "", helper="tool", version="1.0", binary="tool", adapter=adapter)
    found = [column for column in columns([vendor], tmp_path) if isinstance(column, Column)]
    assert [column.name for column in found] == [f"tool-1.0{backend}" for backend in backends]
    assert len({word for column in found for word in column.command(tmp_path) if "helper-env" in word}) == len(
        [backend for backend in backends if backend]
    )


def test_the_grid_keeps_evidence_apart() -> None:
    layout = evolve(FAIL, evidence="layout", ground="el9-layout", verdict=Verdict.EXPECTED_FAIL)
    head, *rows, legend = grid([PASS, FAIL, layout, evolve(layout, helper="beta")], ORDER)
    assert head.split() == ["1", "2"]
    assert [row.split() for row in rows] == [
        ["START-1", "host", "P1/1"],
        ["MASK-2", "host", "F1/1"],
        ["MASK-2", "layout", "x1/1", "x1/1"],
    ]
    assert "x expected-fail" in legend


def test_news_is_named_under_the_matrix() -> None:
    lines = list(told([report("alpha", Verdict.EXPECTED_FAIL, Verdict.FAIL)], [], ORDER))
    assert "  1 alpha (version 1.0): 1 expected-fail, 1 fail" in lines
    assert any(line.startswith("fail: alpha: MASK-2[case-1]: leak: expected: denied") for line in lines)
    assert not any("case-0" in line for line in lines)
    assert PRIVATE in lines


def test_a_helper_that_cannot_be_used_is_not_run(tmp_path: Path) -> None:
    found = run(Column("gone", tmp_path / "gone", "bwrap"), tmp_path)
    assert isinstance(found, NotRun)
    assert found.reason.startswith("status 4: ")
    assert "cannot be found" in found.reason


def test_a_bwrap_of_which_nothing_is_known_has_no_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.vendors.columns.KNOWN", tmp_path)
    assert list(on_path(["bwrap"])) == []
