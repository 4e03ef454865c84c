# SPDX-License-Identifier: MIT
"""``boxproof gate``, the suite's own run aside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from boxproof.cli import main
from boxproof.report.faces import FACES, write_face
from boxproof.report.json import Report
from boxproof.surface import gate_command
from boxproof.surface.setup import read_contract
from tests.report.reports import one_of_each

GITHUB = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command is given, outside of any job."""
    monkeypatch.chdir(tmp_path)
    for name in GITHUB:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def job(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same in a step of GitHub Actions."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(folder / "output"))
    return folder


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Callable[[Report | None, int], list[str]]:
    """Have the suite's run write a report and end with a status; return the words that it will be given."""

    def stand_in(report: Report | None, status: int) -> list[str]:
        given: list[str] = []

        def run(words: Sequence[str]) -> int:
            given.extend(words)
            for word in words:
                if report and word.startswith("--report="):
                    write_face(report, read_contract(), word.removeprefix("--report="))
            return status

        monkeypatch.setattr(gate_command, "run_suite", run)
        return given

    return stand_in


def gate(*words: str) -> Result:
    return CliRunner().invoke(main, ["gate", *words])


Suite = Callable[[Report | None, int], list[str]]


def test_options_are_passed_on_and_words_are_parted(folder: Path, suite: Suite) -> None:
    given = suite(one_of_each(), 0)
    done = gate("--helper=x", "-k", "a or b", "--grounds=host  layout:el9", "--args=-n 2 -m 'not slow'", "--output=o")
    assert (done.exit_code, done.output) == (0, "")
    assert given == [
        *("--helper=x", "-k", "a or b", "--ground=host", "--ground=layout:el9", "-n", "2", "-m", "not slow"),
        *("--report=o/report.json", "--report=o/report.html", "--report=o/report.xml", "--cases-out=o"),
    ]
    assert sorted(path.name for path in (folder / "o").iterdir()) == ["report.html", "report.json", "report.xml"]


@pytest.mark.parametrize("met", (True, False))
def test_a_job_has_the_summary_the_annotations_and_the_outputs(job: Path, suite: Suite, *, met: bool) -> None:
    report = one_of_each()
    report = evolve(report, run=evolve(report.run, met=met))
    suite(report, 0 if met else 1)
    done = gate("--output=o")
    assert done.exit_code == (0 if met else 1)
    stop, start, *after = done.output.splitlines(keepends=True)
    assert stop == f"::stop-commands::{start[2:-3]}\n"
    assert "".join(after) == FACES["annotations"](report, {})
    assert (job / "summary").read_text("utf-8") == FACES["md"](report, read_contract())
    name, value, end, *rest = (job / "output").read_text("utf-8").splitlines()
    assert (name, value) == (f"met<<{end}", str(met).lower())
    assert rest == [f"report<<{end}", "o/report.json", end]


def test_an_earlier_report_is_not_taken_for_this_runs(job: Path, suite: Suite) -> None:
    suite(one_of_each(), 0)
    gate()
    suite(None, 4)
    done = gate()
    assert done.exit_code == 4
    assert "::error title=boxproof::the suite wrote no report (exit status 4)" in done.output
    assert list((job / "boxproof-out").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "status", "said"),
    (
        (("--args='",), 2, "--args: No closing quotation"),
        (("--output=/dev/null/o",), 2, "--output: '/dev/null/o' cannot be written (Not a directory)"),
        ((), 3, "/summary' cannot be written (Is a directory); see GITHUB_STEP_SUMMARY"),
    ),
)
def test_what_cannot_be_done_is_one_line(
    job: Path, suite: Suite, words: tuple[str, ...], status: int, said: str
) -> None:
    (job / "summary").mkdir()
    suite(one_of_each(), 0)
    done = gate(*words)
    assert done.exit_code == status
    assert said in done.output
    assert "Traceback" not in done.output
