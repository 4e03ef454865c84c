# SPDX-License-Identifier: MIT
"""``boxproof history`` over stand-ins that tell versions, and over helpers that are wrong on purpose."""

from __future__ import annotations

import json
import os

import pytest
from click.testing import CliRunner, Result

from boxproof.cli import main
from tests.plugin.cases import case_text
from tests.plugin.suite import BARE, DEADLINE, GOOD, Suite

UNSANDBOXED = BARE + 'exec "$@"'
REFUSES = "echo 'no user namespaces here' >&2; exit 1"


def history(suite: Suite, *words: str, case: str = "", bodies: str = "") -> Result:
    """Run the command over stand-ins 1.0, 1.1 and so on that do what the letters say."""
    for number, letter in enumerate(bodies):
        suite.helper({"p": GOOD, "f": REFUSES, "u": UNSANDBOXED}[letter], f"1.{number}")
    stand_ins = [f"--helper-glob={suite.place.root}/1.*", f"--adapter={suite.adapter()}"] if bodies else []
    places = [f"--farm-root={suite.place.farms}", f"--launch-timeout={DEADLINE}"]
    return CliRunner().invoke(main, ["history", case or str(suite.write(case_text())), *stand_ins, *places, *words])


@pytest.mark.parametrize(
    ("bodies", "status", "verdicts", "says"),
    (
        ("ppf", 1, ["pass", "pass", "fail"], "broke between 1.1 and 1.2; the newest, 1.2, fails"),
        ("up", 0, ["fail", "pass"], "fixed between 1.0 and 1.1; the newest, 1.1, passes"),
        ("f", 1, ["fail"], "fails in the only version"),
    ),
)
def test_it_says_where_it_broke(suite: Suite, bodies: str, status: int, verdicts: list[str], says: str) -> None:
    told = history(suite, bodies=bodies)
    head, *table, end = told.stdout.splitlines()
    assert (told.exit_code, head, end) == (status, "MASK-1[plain]: a case called plain", says)
    assert [line.split()[1] for line in table] == verdicts


def test_the_evidence_is_what_the_helper_said_or_what_was_seen(suite: Suite) -> None:
    rows = json.loads(history(suite, "--json", bodies="fu").stdout)["versions"]
    assert rows[0]["kinds"] == ["no-start"]
    assert rows[0]["evidence"] == "no user namespaces here"
    assert "leak" in rows[1]["kinds"]
    assert rows[1]["evidence"]
    assert [os.path.basename(row["helper"]) for row in rows] == ["1.0", "1.1"]


def test_what_cannot_be_driven_is_a_version_of_which_nothing_is_told(suite: Suite) -> None:
    suite.write("no program", "1.1").rename(suite.place.root / "1.1")
    suite.helper(GOOD, "1.0")
    suite.helper(REFUSES, "1.2")
    told = history(suite, f"--helper-glob={suite.place.root}/1.*", f"--adapter={suite.adapter()}")
    lines = told.stdout.splitlines()
    assert lines[2].startswith("1.1  cannot tell")
    assert lines[-1] == "broke between 1.0 and 1.2 (of 1.1 nothing can be told); the newest, 1.2, fails"


def test_a_case_of_the_suite_is_found_by_its_id(suite: Suite) -> None:
    told = history(suite, case="MASK-1[deny-relative-file]", bodies="p")
    assert told.stdout.splitlines()[0].startswith("MASK-1[deny-relative-file]: ")


def test_helpers_that_are_wrong_on_purpose_are_versions_too(suite: Suite) -> None:
    given = ("--helper=reference", "--helper=known-bad:deny-by-link-dropped", "--as-given")
    told = history(suite, *given, case="MASK-1[deny-relative-file]")
    assert told.exit_code == 1
    assert told.stdout.splitlines()[-1] == (
        "broke between reference and known-bad:deny-by-link-dropped; the newest, known-bad:deny-by-link-dropped, fails"
    )


@pytest.mark.parametrize(
    ("words", "says"),
    (
        ((), "there is no helper"),
        (("--helper-glob=/nowhere/*",), "--helper-glob=/nowhere/* matches nothing"),
        (("--helper=/nowhere",), "the helper '/nowhere' cannot be found"),
        (("--helper=reference", "--helper=known-bad:order-sensitive"), "--as-given"),
        (("--helper=reference", "--ground=moon"), "--ground=moon is unknown"),
        (("--helper=reference", "--helper-env=A"), "--helper-env=A sets no variable"),
    ),
)
def test_a_mistake_is_one_line(suite: Suite, words: tuple[str, ...], says: str) -> None:
    told = history(suite, *words)
    assert (told.exit_code, told.stdout) == (2, "")
    (line,) = told.stderr.splitlines()
    assert line.startswith("Error: ")
    assert says in line


@pytest.mark.parametrize(
    ("case", "says"),
    (("nowhere.toml", "cannot be read"), ("MASK-1[deny-relative-fil]", "did you mean 'MASK-1[deny-relative-file]'?")),
)
def test_a_case_that_is_not_there_is_one_line(suite: Suite, case: str, says: str) -> None:
    told = history(suite, "--helper=reference", case=case)
    assert (told.exit_code, told.stdout) == (2, "")
    assert says in told.stderr.splitlines()[0]
