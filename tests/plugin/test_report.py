# SPDX-License-Identifier: MIT
"""The JSON report of a run: where it goes, that it is valid, and that workers change nothing."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from boxproof.cli import main
from boxproof.model.casefile import load_case
from boxproof.report.json import read_report, schema
from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import BARE, CAPABILITIES, CONFTEST, GOOD, Ran, Suite

MIXED = """case "$*" in
*store/refused*) echo "cannot mask $PWD" >&2; exit 1 ;;
*store/open*) while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
*store/lost*) exit 0 ;;
*) exec "$BWRAP" "$@" ;;
esac"""
"""A stand-in whose doing depends on the case."""


WRECKING = f"""{CONFTEST}
from boxproof.runner import Runner

whole = Runner.run

def run(self, case, repeat=1):
    if case.id == "one":
        raise KeyError("broken")
    return whole(self, case, repeat)

def pytest_collection_finish():
    Runner.run = run

def pytest_unconfigure():
    Runner.run = whole
"""
"""A conftest.py under which one case meets a fault of the engine's own."""


def mixed(suite: Suite) -> Suite:
    """Write a suite that has every verdict but flaky."""
    names = ("refused", "open", "lost", "fine")
    cases = [
        case_text(name, tree=f"ws/\nws/file file\nstore/\nstore/{name} file\n", rules=["rw ws", f"deny store/{name}"])
        for name in names
    ]
    cases += [
        case_text("no-control", probes=["read store/none: denied"]),
        case_text("should", tree="ws/\nstore/\nstore/lost file\n", rules=["rw ws", "deny store/lost"], level="SHOULD"),
    ]
    suite.write(module_text(*cases), "test_mask.py")
    suite.write(module_text(case_text("raw", rules=["rw ws", r"ro \xff"]), requirement="NAME-2"), "test_name.py")
    suite.adapter(capabilities=[word for word in CAPABILITIES if word != "raw-names"])
    return suite


def timeless(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report without what two runs cannot agree on."""
    run = {key: value for key, value in report["run"].items() if key not in {"started", "seconds"}}
    results = [{key: value for key, value in row.items() if key != "seconds"} for row in report["results"]]
    return {**report, "run": run, "results": results}


def valid(ran: Ran) -> dict[str, Any]:
    """Return the report, once the published schema allows it."""
    report = dict(ran.report)
    Draft202012Validator(schema()).validate(report)
    return report


def test_it_is_valid_and_whole(suite: Suite) -> None:
    report = valid(mixed(suite).drive(MIXED))
    assert {row["case"]: row["verdict"] for row in report["results"]} == {
        "fine": "pass",
        "lost": "fail",
        "no-control": "error",
        "open": "fail",
        "raw": "not-applicable",
        "refused": "fail",
        "should": "fail",
    }
    assert report["summary"]["by_requirement"]["MASK-1"] == {"pass": 1, "fail": 4, "error": 1}
    assert datetime.fromisoformat(report["run"]["started"]).tzinfo is not None
    assert all(bool(row["case_file"]) is (row["verdict"] == "fail") for row in report["results"])


def test_it_is_read_back(suite: Suite) -> None:
    ran = mixed(suite).drive(MIXED)
    assert read_report(json.dumps(ran.report), "run.json").as_json() == ran.report


def test_workers_change_nothing_but_times(suite: Suite) -> None:
    alone = mixed(suite).drive(MIXED)
    shared = suite.drive(MIXED, "-p", "xdist", "-n", "2", apart=True)
    assert shared.status == alone.status == 1
    assert timeless(valid(shared)) == timeless(valid(alone))


def test_with_workers_a_failure_is_told_as_without(suite: Suite) -> None:
    suite.write(module_text(*(case_text(name) for name in ("one", "two"))), "test_mask.py")
    ran = suite.drive(BARE + 'exec "$@"', "-p", "xdist", "-n", "2", apart=True)
    assert ran.status == 1
    assert ran.out.count("\nreplay: pytest --case=") == 2
    assert "standin-standin: 2 fail" in ran.out


def test_with_workers_a_met_profile_is_0(suite: Suite) -> None:
    suite.write(module_text(*(case_text(name) for name in ("one", "two"))), "test_mask.py")
    ran = suite.drive(GOOD, "-p", "xdist", "-n", "2", apart=True)
    assert (ran.status, ran.report["run"]["met"], len(ran.rows)) == (0, True, 2)


def test_with_workers_a_case_is_run(suite: Suite) -> None:
    (suite.path / "link.toml").symlink_to(suite.write(case_text(), "recorded/one.toml"))
    ran = suite.drive(GOOD, "--case=link.toml", "-p", "xdist", "-n", "2", apart=True)
    assert (ran.status, list(ran.rows)) == (0, ["MASK-1[plain]"])


def test_several_reports_are_one(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    (suite.path / "sub").mkdir()
    ran = suite.drive(GOOD, "--report=one.json", "--report=sub/two.json", f"--report={suite.place.open}/three.json")
    paths = [suite.path / "one.json", suite.path / "sub/two.json", suite.place.open / "three.json"]
    assert [timeless(json.loads(path.read_text("utf-8"))) for path in paths] == [timeless(valid(ran))] * 3


def test_an_old_report_is_replaced_and_nothing_lies_beside_it(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    old = suite.write("x" * 1_000_000, "sub/old.json")
    assert suite.drive(GOOD, "--report=sub/old.json").status == 0
    assert json.loads(old.read_text("utf-8"))["format"] == 1
    assert [path.name for path in old.parent.iterdir()] == ["old.json"]


def test_a_report_that_cannot_be_written_is_one_line_and_no_0(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    (suite.path / "sub").mkdir()
    suite.write(f"{CONFTEST}import os\ndef pytest_runtest_teardown():\n    os.rmdir('sub')\n", "conftest.py")
    ran = suite.drive(GOOD, "--report=sub/run.json")
    assert (ran.status, "Traceback" in ran.out + ran.err) == (3, False)
    assert "sub/run.json' cannot be written (No such file or directory)" in ran.out


def test_the_helper_that_was_judged_is_named(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    (row,) = valid(suite.drive(GOOD))["helpers"]
    assert (row["name"], row["version"], row["adapter"]) == ("standin-standin", "standin", "standin")
    assert row["capabilities"] == sorted(CAPABILITIES)


def test_a_crash_of_one_case_does_not_cut_it_short(suite: Suite) -> None:
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    suite.write(WRECKING, "conftest.py")
    ran = suite.drive(GOOD)
    assert ran.status == 1
    assert {row["case"]: row["verdict"] for row in valid(ran)["results"]} == {"one": "error", "two": "pass"}


def test_a_failing_row_holds_what_the_terminal_showed_and_no_other_does(suite: Suite) -> None:
    ran = mixed(suite).drive(MIXED)
    rows = ran.rows
    assert {name for name, row in rows.items() if row["shown"]} == {
        name for name, row in rows.items() if row["verdict"] in {"fail", "flaky"}
    }
    shown = rows["MASK-1[open]"]["shown"]
    assert load_case(shown["case"], "case").id == "open"
    assert shown["command"].endswith("-- /bin/sh -c '...the probe'")
    assert str(suite.place.farms) not in shown["command"]


@pytest.mark.parametrize("suffix", ("html", "md", "xml"))
def test_a_run_writes_each_form_as_the_command_does_from_its_json(suite: Suite, suffix: str) -> None:
    path = suite.path / f"whole.{suffix}"
    ran = mixed(suite).drive(MIXED, f"--report={path}")
    assert ran.status == 1
    done = CliRunner().invoke(main, ["report", str(suite.path / "run.json"), f"--as={suffix}"])
    # the two are written one after the other, and the time of the run is in them
    assert len(done.output) == pytest.approx(len(path.read_text("utf-8")), abs=20)
    assert "MASK-1" in done.output
