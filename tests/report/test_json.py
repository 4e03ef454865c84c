# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, fields_dict
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from boxproof.errors import ReportError
from boxproof.model.case import LEVELS
from boxproof.model.host import Bwrap, Host
from boxproof.model.levels import PROFILES
from boxproof.model.outcome import KINDS, Finding, Verdict
from boxproof.model.result import EVIDENCE, Result
from boxproof.report.json import (
    HelperRow,
    Report,
    Run,
    dict_of_result,
    read_report,
    result_from_dict,
    schema,
    summary,
    write_report,
)
from tests.report.reports import FAIL, LEAK, RUN, of

REPORT = evolve(of(FAIL), run=evolve(RUN, options={"examples": 50}))
TEXT = st.text(st.characters(), max_size=8)
UTF8 = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
IDS = st.from_regex(r"[A-Z]+-[0-9]+", fullmatch=True)
SECONDS = st.floats(0, allow_infinity=False)


def results(text: st.SearchStrategy[str]) -> st.SearchStrategy[Result]:
    finding = st.builds(Finding, st.sampled_from(KINDS), IDS, text, text, text, text)
    return st.builds(
        Result,
        id=text,
        case=text,
        requirement=IDS,
        level=st.sampled_from(LEVELS),
        helper=text,
        ground=text,
        evidence=st.sampled_from(EVIDENCE),
        condition=text,
        verdict=st.sampled_from(Verdict),
        findings=st.lists(finding, max_size=2).map(tuple),
        reason=text,
        launch=text,
        launches=st.integers(0, 9),
        seconds=SECONDS,
        case_file=st.none() | text,
        replay=text,
    )


def reports(text: st.SearchStrategy[str]) -> st.SearchStrategy[Report]:
    texts = st.lists(text, max_size=2).map(tuple)
    options = st.dictionaries(text, text | st.booleans() | st.integers(), max_size=2)
    profiles = st.sampled_from(tuple(PROFILES))
    run = st.builds(Run, text, text, SECONDS, profiles, st.booleans(), text, text, options, texts)
    bwrap = st.none() | st.builds(Bwrap, text, text, text)
    host = st.builds(Host, text, text, texts, st.none() | st.integers(0, 9), text, st.integers(0, 9), bwrap)
    helpers = st.lists(st.builds(HelperRow, text, text, text, text, text, texts), max_size=2).map(tuple)
    return st.builds(Report, run, host, helpers, st.lists(results(text), max_size=3).map(tuple))


@given(results(UTF8))
def test_a_result_travels_as_plain_json(result: Result) -> None:
    assert result_from_dict(json.loads(json.dumps(dict_of_result(result)))) == result


@given(reports(TEXT))
def test_every_report_is_valid_and_utf8(report: Report) -> None:
    written = json.dumps(report.as_json(), ensure_ascii=False)
    written.encode()
    Draft202012Validator(schema()).validate(json.loads(written))


@given(reports(UTF8))
def test_a_report_that_is_written_reads_back(report: Report) -> None:
    assert read_report(json.dumps(report.as_json()), "report.json") == report


@given(reports(TEXT))
def test_what_was_read_is_written_the_same_again(report: Report) -> None:
    data = report.as_json()
    assert read_report(json.dumps(data), "report.json").as_json() == data


def test_a_name_that_is_not_utf8_is_shown_by_its_bytes() -> None:
    finding = evolve(LEAK, path="a\udcff\udc80", detail="\ud800 é")
    assert dict_of_result(evolve(FAIL, findings=(finding,)))["findings"] == [
        {**{name: getattr(LEAK, name) for name in fields_dict(Finding)}, "path": r"a\xff\x80", "detail": r"\ud800 é"}
    ]


def test_the_schema_is_one_and_names_every_key() -> None:
    Draft202012Validator.check_schema(schema())
    keys = schema()["properties"]
    data: Any = REPORT.as_json()
    assert list(data) == list(keys)
    for part in ("run", "host", "summary"):
        assert set(data[part]) == set(keys[part]["properties"])
    assert set(data["host"]["bwrap"]) == set(keys["host"]["properties"]["bwrap"]["properties"])
    assert set(data["helpers"][0]) == set(keys["helpers"]["items"]["properties"])
    assert set(data["results"][0]) == set(schema()["$defs"]["result"]["properties"])
    assert set(data["results"][0]["findings"][0]) == set(schema()["$defs"]["finding"]["properties"])


def test_the_schema_knows_the_words_of_the_model() -> None:
    kinds, verdicts = schema()["$defs"]["kind"], schema()["$defs"]["verdict"]
    assert tuple(kinds["enum"]) == KINDS
    assert verdicts["enum"] == [verdict.value for verdict in Verdict]
    result = schema()["$defs"]["result"]["properties"]
    assert tuple(result["level"]["enum"]) == LEVELS
    assert tuple(schema()["$defs"]["evidence"]["enum"]) == EVIDENCE
    assert schema()["properties"]["run"]["properties"]["profile"]["enum"] == list(PROFILES)


def test_the_summary_counts_verdicts_and_allowed_refusals() -> None:
    passed = evolve(FAIL, verdict=Verdict.PASS, findings=())
    refused = evolve(passed, requirement="MASK-4", launch="refused")
    wrongly = evolve(FAIL, requirement="MASK-4", launch="refused")
    assert summary([FAIL, passed, refused, refused, wrongly]) == {
        "evidence": "host",
        "not-selected": 0,
        "not-applicable": 0,
        "pass": 3,
        "expected-fail": 0,
        "flaky": 0,
        "fail": 2,
        "unexpected-pass": 0,
        "error": 0,
        "by_requirement": {"MASK-2": {"fail": 1, "pass": 1}, "MASK-4": {"pass": 2, "fail": 1}},
        "by_evidence": {"host": {"fail": 2, "pass": 3}},
        "refused": {"MASK-4": 2},
    }


def test_the_summary_adds_up_no_counts_of_different_evidence() -> None:
    image, layout = (evolve(FAIL, evidence=evidence) for evidence in ("image", "layout"))
    counts: Any = summary([layout, layout, image])
    assert (counts["evidence"], counts["fail"]) == ("image", 1)
    assert counts["by_requirement"] == {"MASK-2": {"fail": 1}}
    assert counts["by_evidence"] == {"image": {"fail": 1}, "layout": {"fail": 2}}


def test_keys_of_a_later_version_are_passed_over() -> None:
    data: Any = REPORT.as_json()
    for part in (data, data["run"], data["host"], data["host"]["bwrap"], data["helpers"][0], data["results"][0]):
        part["later"] = 1
    data["results"][0]["findings"][0]["later"] = 1
    assert read_report(json.dumps(data), "report.json") == REPORT


def test_a_report_is_written_in_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")
    write_report(REPORT, str(path))
    assert read_report(path.read_text("utf-8"), "report.json") == REPORT
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_report_behind_a_link_is_written_there(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("report.json")
    write_report(REPORT, str(tmp_path / "link.json"))
    assert (tmp_path / "link.json").is_symlink()
    assert read_report((tmp_path / "report.json").read_text("utf-8"), "report.json") == REPORT


def test_a_report_to_a_pipe_leaves_the_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_report(REPORT, str(pipe))
        assert read_report(os.read(reader, 1 << 16).decode(), "pipe.json") == REPORT
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_failed_write_leaves_the_old_report_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_text("old")

    def fail(source: str, target: str) -> None:
        raise PermissionError(13, "Permission denied", source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(ReportError, match=r"cannot be written \(Permission denied\)"):
        write_report(REPORT, str(path))
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.json"]


@pytest.mark.parametrize(
    ("name", "cause"), (("none/report.json", "No such file or directory"), (".", "Is a directory"))
)
def test_a_place_where_no_report_can_be_is_an_error(tmp_path: Path, name: str, cause: str) -> None:
    path = f"{tmp_path}/{name}"
    with pytest.raises(ReportError) as raised:
        write_report(REPORT, path)
    assert (
        str(raised.value) == f"the report '{path}' cannot be written ({cause}); name a file in a folder that is there"
    )
    assert os.listdir(tmp_path) == []


def changed(path: tuple[str | int, ...], value: object) -> str:
    data: Any = REPORT.as_json()
    at = data
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return json.dumps(data)


NOT_JSON = "is no report ("
NOT_VALID = "is no report of format 1 ("


@pytest.mark.parametrize(
    ("text", "message"),
    (
        ("", f"{NOT_JSON}Expecting value: line 1 column 1 (char 0)); name a .json file that Boxproof wrote"),
        ("NaN", f"{NOT_JSON}NaN is not JSON); name a .json file that Boxproof wrote"),
        ("[" * 100_000, f"{NOT_JSON}it is nested too deeply)"),
        ("[]", f"{NOT_VALID}the whole: [] is not of type 'object')"),
        ("{}", f"{NOT_VALID}the whole: 'format' is a required property)"),
        (changed(("format",), 2), f"{NOT_VALID}format: 1 was expected)"),
        (changed(("run", "met"), "yes"), f"{NOT_VALID}run.met: 'yes' is not of type 'boolean')"),
        (changed(("host", "lsm"), [1]), f"{NOT_VALID}host.lsm[0]: 1 is not of type 'string')"),
        (changed(("results", 0, "level"), "MAY"), f"{NOT_VALID}results[0].level: 'MAY' is not one of {[*LEVELS]})"),
        (changed(("results", 0, "launches"), -1), f"{NOT_VALID}results[0].launches: -1 is less than the minimum of 0)"),
        (
            changed(("results", 0, "findings", 0, "seen"), None),
            f"{NOT_VALID}results[0].findings[0].seen: None is not of type 'string')",
        ),
    ),
    ids=("empty", "NaN", "deep", "array", "no-keys", "format", "met", "lsm", "level", "launches", "seen"),
)
def test_what_is_no_report_is_refused_on_one_line(text: str, message: str) -> None:
    with pytest.raises(ReportError) as raised:
        read_report(text, "r.json")
    assert str(raised.value) == f"r.json {message}"


def test_a_complaint_about_a_large_value_stays_short() -> None:
    with pytest.raises(ReportError) as raised:
        read_report(json.dumps(["x" * 100_000]), "r.json")
    assert len(str(raised.value)) < 300
