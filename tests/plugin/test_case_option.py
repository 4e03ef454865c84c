# SPDX-License-Identifier: MIT
"""Recorded cases: ``--case``, the file that a failure writes, and the command that replays it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from boxproof.model.casefile import load_case
from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import BARE, GOOD, Ran, Suite

UNSANDBOXED = BARE + 'exec "$@"'
REFUSES = "echo 'no user namespaces here' >&2; exit 1"


@pytest.fixture
def recorded(suite: Suite) -> Suite:
    """A suite with a module, and three recorded cases beside it."""
    suite.write(module_text(case_text("of-the-suite")), "test_mask.py")
    for name in ("one", "two", "three"):
        suite.write(case_text(name), f"recorded/{name}.toml")
    return suite


def replayed(ran: Ran, suite: Suite) -> Ran:
    """Run the command that a failure printed."""
    word, *arguments = shlex.split(ran.row["replay"])
    assert word == "pytest"
    return suite.run(*arguments)


def test_only_the_case_is_run(recorded: Suite) -> None:
    ran = recorded.drive(GOOD, "--case=recorded/one.toml")
    assert (ran.status, ran.verdicts) == (0, {"MASK-1[one]": "pass"})


def test_several_are_run(recorded: Suite) -> None:
    ran = recorded.drive(GOOD, "--case=recorded/one.toml", f"--case={recorded.path / 'recorded/three.toml'}")
    assert (ran.status, sorted(ran.rows)) == (0, ["MASK-1[one]", "MASK-1[three]"])


def test_it_may_lie_in_another_folder(recorded: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = recorded.place.open / "my cases"
    elsewhere.mkdir()
    (elsewhere / "plain.toml").write_text(case_text(), "utf-8")
    monkeypatch.chdir(elsewhere)
    ran = recorded.drive(GOOD, "--case=plain.toml", f"--rootdir={recorded.path}", "-p", "boxproof.plugin")
    assert (ran.status, ran.verdicts) == (0, {"MASK-1[plain]": "pass"})


@pytest.mark.parametrize("name", ("odd::name.toml", "odd[1].toml"))
def test_a_path_that_pytest_would_misread_is_refused(recorded: Suite, name: str) -> None:
    (recorded.path / name).write_text(case_text("odd"), "utf-8")
    ran = recorded.drive(GOOD, f"--case={name}")
    assert ran.status == pytest.ExitCode.USAGE_ERROR
    assert "pytest would misread it" in ran.err


def test_it_may_be_reached_through_links(recorded: Suite) -> None:
    (recorded.path / "link.toml").symlink_to("recorded/one.toml")
    (recorded.path / "folder").symlink_to("recorded")
    ran = recorded.drive(GOOD, "--case=link.toml", "--case=folder/two.toml")
    assert (ran.status, sorted(ran.rows)) == (0, ["MASK-1[one]", "MASK-1[two]"])


def test_it_need_not_end_in_toml(recorded: Suite) -> None:
    recorded.write(case_text("attached"), "attachment.txt")
    ran = recorded.drive(GOOD, "--case=attachment.txt")
    assert (ran.status, ran.verdicts) == (0, {"MASK-1[attached]": "pass"})


@pytest.mark.parametrize("level", ("SHOULD", "RECORD"))
def test_it_is_run_whatever_the_profile(suite: Suite, level: str) -> None:
    suite.write(case_text(level=level))
    ran = suite.drive(GOOD, "--case=case.toml", "--profile=required")
    assert (ran.status, ran.verdicts) == (0, {"MASK-1[plain]": "pass"})


def test_it_is_run_under_every_helper(recorded: Suite) -> None:
    helpers = [f"--helper={recorded.helper(GOOD, name)}" for name in ("a", "b")]
    ran = recorded.run(*helpers, f"--adapter={recorded.adapter()}", "--case=recorded/one.toml")
    assert sorted(ran.rows) == ["MASK-1[one-standin-a]", "MASK-1[one-standin-b]"]


def test_of_a_requirement_that_is_not_in_the_contract(suite: Suite) -> None:
    suite.write(case_text(requirement="MASK-77"))
    ran = suite.drive(REFUSES, "--case=case.toml")
    assert ran.status in {1, 4}
    assert "MASK-77" in ran.out + ran.err
    assert "Traceback" not in ran.out + ran.err
    assert "KeyError" not in ran.out + ran.err


def test_a_failure_writes_the_case_that_was_run(suite: Suite) -> None:
    path = suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(UNSANDBOXED)
    written = suite.path / ran.row["case_file"]
    assert ran.row["case_file"] == "boxproof-out/mask-1-plain-standin-standin/case.toml"
    case, original = (load_case(each.read_text("utf-8"), each.name) for each in (written, path))
    assert (case.name, case.topology, case.policy) == (original.name, original.topology, original.policy)
    assert [probe.path for probe in case.probes][:3] == ["ws/file", "store/key", "ws/file"]
    assert str(suite.place.root) not in written.read_text("utf-8")


@pytest.mark.parametrize("body", (UNSANDBOXED, REFUSES, "exit 0"), ids=["unsandboxed", "no-start", "status-lost"])
def test_the_printed_command_gives_the_same_verdict(suite: Suite, body: str) -> None:
    suite.write(case_text(), "cases/one.toml")
    first = suite.drive(body)
    again = replayed(first, suite)
    assert (first.status, again.status, len(again.rows)) == (1, 1, 1)
    assert (again.kinds, again.row["verdict"]) == (first.kinds, "fail")
    assert again.row["replay"] == first.row["replay"]


def test_the_printed_command_passes_once_the_helper_is_mended(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    first = suite.drive(REFUSES)
    suite.helper(GOOD)
    again = replayed(first, suite)
    assert (again.status, again.verdicts) == (0, {"MASK-1[plain]": "pass"})


def test_the_printed_command_carries_what_the_verdict_depends_on(suite: Suite) -> None:
    suite.write(case_text(level="SHOULD"), "cases/one.toml")
    given = ["--helper-env=A=b c", "--repeat=2", "--strict", "--profile=all", "--launch-timeout=77"]
    farms = f"--farm-root={suite.place.farms}"
    words = shlex.split(suite.drive(REFUSES, *given).row["replay"])
    assert {*given, farms} <= {*words}


def test_with_several_helpers_the_printed_command_names_one(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    good, bad = suite.helper(GOOD, "good"), suite.helper(REFUSES, "bad")
    ran = suite.run(f"--helper={good}", f"--helper={bad}", f"--adapter={suite.adapter()}")
    words = shlex.split(ran.rows["MASK-1[plain-standin-bad]"]["replay"])
    assert [word for word in words if word.startswith("--helper")] == [f"--helper={bad}"]


@pytest.mark.parametrize("absolute", (False, True), ids=["relative", "absolute"])
def test_cases_go_where_they_are_wanted(suite: Suite, absolute: bool) -> None:  # noqa: FBT001 - a parameter of a test
    suite.write(case_text(), "cases/one.toml")
    folder = Path("out/of it")
    ran = suite.drive(REFUSES, f"--cases-out={suite.path / folder if absolute else folder}")
    assert ran.row["case_file"] == "out/of it/mask-1-plain-standin-standin/case.toml"
    assert (suite.path / ran.row["case_file"]).is_file()
    assert not (suite.path / "boxproof-out").exists()
    assert replayed(ran, suite).row["verdict"] == "fail"


def test_outside_the_working_folder_the_path_is_absolute(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(REFUSES, f"--cases-out={suite.place.open}/out")
    assert f"--case={suite.place.open}/out/mask-1-plain-standin-standin/case.toml" in shlex.split(ran.row["replay"])
    assert replayed(ran, suite).row["verdict"] == "fail"


def test_where_all_is_well_nothing_is_written(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    assert suite.drive(GOOD).status == 0
    assert "boxproof-out" not in os.listdir(suite.path)


def test_a_folder_that_cannot_be_written_costs_no_verdict(suite: Suite) -> None:
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    suite.write("in the way", "boxproof-out/mask-1-one-standin-standin")
    ran = suite.drive(REFUSES)
    assert (ran.status, [row["verdict"] for row in ran.rows.values()]) == (1, ["fail", "fail"])
    assert "Traceback" not in ran.out
    assert "case file: not written" in ran.out
