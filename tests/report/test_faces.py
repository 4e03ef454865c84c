# SPDX-License-Identifier: MIT
"""Markdown, JUnit, badge and annotations."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from boxproof.errors import ReportError
from boxproof.model.case import Level
from boxproof.model.outcome import KINDS, Verdict
from boxproof.report.annotations import SHOWN as ANNOTATED
from boxproof.report.annotations import workflow_commands
from boxproof.report.badge import badge
from boxproof.report.faces import FACES, SUFFIXES, form_of, write_face
from boxproof.report.failure import PRIVATE
from boxproof.report.json import read_report, schema
from boxproof.report.junit import junit
from boxproof.report.markdown import SIZE, escaped, fenced, markdown
from tests.report.reports import CONTRACT, FAIL, PASS, filled, of, one_of_each

TEXT = st.text(st.characters(), min_size=1, max_size=30) | st.sampled_from(
    ("</details>", "```", "````x", "| a |", "@somebody", "#1", "[a](b)", "https://x.example", "<img src=x>", "\x1b[2J")
)
OUTCOMES = {"failure", "error", "skipped"}
ATTRIBUTES = {
    "testsuites": {"name"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
    "testcase": {"name", "classname", "time"},
    "properties": set(),
    "property": {"name", "value"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
}
INSIDE = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "testcase": {"properties", *OUTCOMES},
    "properties": {"property"},
}


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - what was written just now


@given(text=TEXT)
def test_junit_has_the_elements_of_the_schema_whatever_the_text(text: str) -> None:
    for element in parsed(junit(filled(text), CONTRACT)).iter():
        assert set(element.attrib) == ATTRIBUTES[element.tag]
        assert {child.tag for child in element} <= INSIDE.get(element.tag, set())


def test_junit_has_each_row_once_with_its_facts() -> None:
    report = one_of_each()
    root = parsed(junit(report, CONTRACT))
    found: Counter[tuple[str, ...]] = Counter()
    for case in root.iter("testcase"):
        facts = {each.attrib["name"]: each.attrib["value"] for each in case.iter("property")}
        helper = case.attrib["classname"].removesuffix(f".{facts['ground']}.{facts['requirement']}")
        found[case.attrib["name"], helper, facts["ground"], facts["verdict"], facts["level"]] += 1
    assert found == Counter((row.id, row.helper, row.ground, row.verdict.value, row.level) for row in report.results)


def test_junit_counts_what_it_holds() -> None:
    for suite in parsed(junit(one_of_each(), CONTRACT)):
        cases = suite.findall("testcase")
        for name, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.attrib[attribute]) == sum(case.find(name) is not None for case in cases)
        assert int(suite.attrib["tests"]) == len(cases)


@pytest.mark.parametrize(
    ("verdict", "level", "strict", "outcome"),
    (
        (Verdict.PASS, "MUST", False, set()),
        (Verdict.FAIL, "MUST", False, {"failure"}),
        (Verdict.FLAKY, "MUST", False, {"failure"}),
        (Verdict.FAIL, "SHOULD", False, {"skipped"}),
        (Verdict.FAIL, "SHOULD", True, {"failure"}),
        (Verdict.FAIL, "RECORD", True, {"skipped"}),
        (Verdict.EXPECTED_FAIL, "MUST", False, {"skipped"}),
        (Verdict.UNEXPECTED_PASS, "SHOULD", False, {"failure"}),
        (Verdict.NOT_APPLICABLE, "MUST", False, {"skipped"}),
        (Verdict.ERROR, "RECORD", False, {"error"}),
    ),
)
def test_junit_says_what_the_exit_status_says(
    verdict: Verdict, level: Level, outcome: set[str], *, strict: bool
) -> None:
    report = of(evolve(FAIL, verdict=verdict, level=level))
    report = evolve(report, run=evolve(report.run, options={"strict": strict}))
    (case,) = parsed(junit(report, CONTRACT)).iter("testcase")
    assert {child.tag for child in case} - {"properties"} == outcome


@given(text=TEXT)
def test_in_markdown_text_of_strangers_formats_links_and_mentions_nothing(text: str) -> None:
    line = escaped(text)
    assert "\n" not in line
    assert not re.search(r"[<>\[\]`*_\\|~@$]|://|:\w+:", line)
    assert not re.search(r"&(?!#[0-9]+;)|#(?![0-9]+;)", line)


@given(text=TEXT)
def test_a_block_of_code_ends_where_it_should(text: str) -> None:
    fence, *inside, end, empty = fenced(text).split("\n")
    assert (end, empty) == (fence.removesuffix("text"), "")
    assert not any(line.strip().startswith(end) for line in inside)


def test_markdown_has_a_table_for_each_evidence_and_each_failure_in_words() -> None:
    text = markdown(one_of_each(), CONTRACT)
    assert text.count("### Evidence: ") == 2
    assert "| MASK-2 | E 1/6 |" in text
    assert "Counts of different evidence are not added up." in text
    assert text.count("<details>") == text.count("</details>") == 8
    assert "replay: pytest --case=boxproof-out/mask-2/case.toml" in text
    assert PRIVATE in text


def test_a_table_of_many_places_goes_down_the_page() -> None:
    text = markdown(of(*(evolve(PASS, ground=f"el{number}", evidence="layout") for number in range(9))), CONTRACT)
    assert "| requirement | START-1 |" in text
    assert "| alpha-1.0 on el8 | P 1/1 |" in text


def test_markdown_fits_into_an_issue_and_says_what_it_leaves_out() -> None:
    text = markdown(of(*(evolve(FAIL, id=f"MASK-2[{number}]") for number in range(500))), CONTRACT)
    assert len(text) < SIZE + 100
    shown = text.count("<details>")
    assert 10 < shown < 500
    assert f"{500 - shown} more are in the JSON report." in text


@given(text=TEXT)
def test_an_annotation_is_one_line(text: str) -> None:
    lines = workflow_commands(filled(text)).splitlines()
    assert len(lines) == 1
    assert re.fullmatch(r"::error title=[^:,]*::.*", lines[0])


def test_annotations_tell_what_counts_from_what_does_not() -> None:
    words = Counter(line.split(" ")[0] for line in workflow_commands(one_of_each()).splitlines())
    assert words == {"::error": 6, "::warning": 1, "::notice": 1}


def test_annotations_are_no_more_than_are_shown() -> None:
    lines = workflow_commands(of(*[FAIL] * 30)).splitlines()
    assert len(lines) == ANNOTATED
    assert lines[-1].endswith("::21 more")


def test_the_badge_says_whether_the_profile_is_met() -> None:
    met = of(PASS)
    met = evolve(met, run=evolve(met.run, met=True))
    assert json.loads(badge(met)) == {
        "schemaVersion": 1,
        "label": "boxproof recommended",
        "message": "met",
        "color": "brightgreen",
    }
    assert json.loads(badge(of(FAIL)))["message"] == "1 fail"


def test_the_badge_counts_one_evidence_alone_and_names_it() -> None:
    layout = evolve(FAIL, ground="el9", evidence="layout")
    assert json.loads(badge(of(layout, layout)))["message"] == "2 fail in layouts"
    assert json.loads(badge(of(FAIL, layout)))["message"] == "1 fail"


def test_the_badge_counts_what_is_required() -> None:
    should = evolve(FAIL, level="SHOULD")
    report = of(FAIL, should)
    assert json.loads(badge(report))["message"] == "1 fail"
    strict = evolve(report, run=evolve(report.run, options={"strict": True}))
    assert json.loads(badge(strict))["message"] == "2 fail"


def test_the_badge_of_a_part_is_not_green() -> None:
    part = of(PASS)
    part = evolve(part, run=evolve(part.run, partial=True))
    assert json.loads(badge(part))["color"] == "lightgrey"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_is_written_as_its_suffix_says(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"report{suffix}"
    write_face(one_of_each(), CONTRACT, str(path))
    assert path.read_text("utf-8") == FACES[suffix[1:]](one_of_each(), CONTRACT)


def test_an_unknown_suffix_is_refused() -> None:
    with pytest.raises(ReportError, match=r"no known suffix.*end it in \.json"):
        form_of("report.pdf")


@pytest.mark.parametrize("form", ("html", "md", "xml", "badge", "annotations"))
def test_what_is_made_from_a_run_is_made_from_its_json_too(form: str) -> None:
    report = one_of_each()
    again = read_report(FACES["json"](report, CONTRACT), "run.json")
    assert FACES[form](again, CONTRACT) == FACES[form](report, CONTRACT)


def test_the_schema_has_each_kind() -> None:
    assert schema()["$defs"]["kind"]["enum"] == list(KINDS)
