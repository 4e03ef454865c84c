# SPDX-License-Identifier: MIT
"""``boxproof report``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from boxproof.cli import main
from boxproof.report.faces import FACES
from boxproof.surface.setup import read_contract
from tests.report.reports import one_of_each


@pytest.fixture
def given(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    path.write_text(FACES["json"](one_of_each(), {}), "utf-8")
    return path


def report(*words: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, words)])


def test_the_suffix_says_the_form_and_there_may_be_several(given: Path) -> None:
    outputs = [given.with_suffix(suffix) for suffix in (".html", ".md", ".xml")]
    done = report(given, *(word for output in outputs for word in ("-o", output)))
    assert (done.exit_code, done.output) == (0, "")
    for output in outputs:
        assert output.read_text("utf-8") == FACES[output.suffix[1:]](one_of_each(), read_contract())


def test_a_form_that_no_suffix_says_is_printed_or_written(given: Path) -> None:
    told = FACES["annotations"](one_of_each(), {})
    assert report(given, "--as=annotations").output == told
    assert report(given, "--as=annotations", "-o", given.with_name("summary")).exit_code == 0
    assert given.with_name("summary").read_text("utf-8") == told


def test_the_schema_is_printed() -> None:
    schema = json.loads(report("--schema").output)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == "urn:boxproof:report:1"


@pytest.mark.parametrize(
    ("words", "said"),
    (
        ((), "give a REPORT"),
        (("run.json",), "give a REPORT and -o FILE"),
        (("gone.json", "--as=md"), "'gone.json' cannot be read"),
        (("run.json", "-o", "x.pdf"), "no known suffix"),
        (("run.json", "-o", "gone/x.md"), "lies in no folder"),
        (("run.json", "--as=pdf"), "'pdf' is not one of"),
    ),
)
def test_what_cannot_be_done_is_one_line(
    given: Path, words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(given.parent)
    done = report(*words)
    assert done.exit_code == 2
    assert said in done.output
    assert "Traceback" not in done.output
