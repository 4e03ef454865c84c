# SPDX-License-Identifier: MIT
"""What is collected under which id, and that looking at it does nothing."""

from __future__ import annotations

import os
import string

import pytest

from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import GOOD, Ran, Suite

LEVELS = ("MUST", "SHOULD", "RECORD")
TRACE = 'echo "$@" >> "$OPEN/trace"; '


def ids(ran: Ran) -> list[str]:
    """Return the node ids that ``--collect-only -q`` prints."""
    return [line for line in ran.out.splitlines() if "::" in line]


@pytest.fixture
def three(suite: Suite) -> Suite:
    """A suite of three cases, one of each level."""
    cases = [case_text(level.lower(), level=level) for level in LEVELS]
    suite.write(module_text(*cases), "test_mask.py")
    return suite


def test_an_id_is_the_requirement_and_the_case(three: Suite) -> None:
    assert ids(three.drive(GOOD, "--collect-only", "-q")) == [
        "test_mask.py::MASK-1[must]",
        "test_mask.py::MASK-1[should]",
    ]


def test_with_several_helpers_the_id_names_the_helper(three: Suite) -> None:
    helpers = [f"--helper={three.helper(GOOD, name)}" for name in ("a", "b")]
    ran = three.run(*helpers, f"--adapter={three.adapter()}", "--collect-only", "-q", "--profile=required")
    assert ids(ran) == ["test_mask.py::MASK-1[must-standin-a]", "test_mask.py::MASK-1[must-standin-b]"]


def test_ids_are_ascii_whatever_a_helper_calls_itself(three: Suite) -> None:
    other = three.helper("echo 'standin ../[é]::/*'", "other")
    other.write_text(other.read_text("utf-8").replace("standin other", "standin ../[é]::/*"), "utf-8")
    helpers = [f"--helper={other}", f"--helper={three.helper(GOOD)}"]
    ran = three.run(*helpers, f"--adapter={three.adapter()}", "--collect-only", "-q", "-k", "must")
    names = [name.partition("::")[2] for name in ids(ran)]
    assert len(names) == 2
    assert all(set(name) <= {*string.ascii_letters, *string.digits, *"[].-"} for name in names)


@pytest.mark.parametrize(
    ("profile", "found"),
    (("required", ["must"]), ("recommended", ["must", "should"]), ("all", ["must", "should", "record"])),
)
def test_a_profile_selects_levels(three: Suite, profile: str, found: list[str]) -> None:
    ran = three.drive(GOOD, f"--profile={profile}")
    assert (ran.status, sorted(row["case"] for row in ran.rows.values())) == (0, sorted(found))
    assert (ran.report["run"]["profile"], ran.report["run"]["met"]) == (profile, True)


@pytest.mark.parametrize(
    ("expression", "found"),
    (
        ("must", ["must"]),
        ("MASK-1 and not must", ["should"]),
        ("MASK-1[should]", ["should"]),
        ("MASK-10", []),
        ("test_mask", ["must", "should"]),
    ),
)
def test_k_selects_by_id(three: Suite, expression: str, found: list[str]) -> None:
    assert [
        name[:-1].partition("[")[2] for name in ids(three.drive(GOOD, "--collect-only", "-q", "-k", expression))
    ] == found


def test_a_node_id_selects_one(three: Suite) -> None:
    ran = three.drive(GOOD, "test_mask.py::MASK-1[should]")
    assert (ran.status, ran.verdicts) == (0, {"MASK-1[should]": "pass"})


def test_looking_is_not_running(three: Suite) -> None:
    before = sorted(os.listdir(three.path))
    ran = three.drive(TRACE + GOOD, "--collect-only", f"--cases-out={three.path / 'out'}")
    assert ran.status == 0
    assert ran.report == {}
    assert os.listdir(three.place.open) == []
    assert sorted({*os.listdir(three.path)} - {"standin.toml", "__pycache__"}) == before


def test_looking_does_not_even_ask_for_a_version(three: Suite) -> None:
    helper = three.place.root / "asked"
    helper.write_text(f"#!/bin/sh\necho started >{three.place.open}/trace\necho standin 1\n")
    helper.chmod(0o755)
    ran = three.run(f"--helper={helper}", f"--adapter={three.adapter()}", "--collect-only", "-q")
    assert (ran.status, len(ids(ran))) == (0, 2)
    assert os.listdir(three.place.open) == []


def test_looking_makes_no_folder_anywhere(three: Suite) -> None:
    three.place.farms.chmod(0o555)  # root makes folders all the same; the place is looked at afterwards
    before = three.place.farms.stat().st_mtime_ns
    assert three.drive(GOOD, "--collect-only").status == 0
    assert three.place.farms.stat().st_mtime_ns == before


def test_two_cases_with_one_id_are_an_error(suite: Suite) -> None:
    suite.write(module_text(case_text(), case_text()), "test_mask.py")
    ran = suite.drive(GOOD)
    assert ran.status == 2
    assert "MASK-1 has two cases with the id 'plain'" in ran.out
    assert "site-packages" not in ran.out


def test_a_requirement_that_the_contract_does_not_know_is_an_error(suite: Suite) -> None:
    suite.write(module_text(case_text(), requirement="MASK-77"), "test_mask.py")
    ran = suite.drive("exit 0")
    assert ran.status != 0
    assert "MASK-77" in ran.out
    assert "INTERNALERROR" not in ran.out + ran.err
    assert "KeyError" not in ran.out
