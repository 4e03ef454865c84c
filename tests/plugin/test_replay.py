# SPDX-License-Identifier: MIT
"""``boxproof replay``, and case files that become tests by lying in the right folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from boxproof.cli import main
from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import BARE, DEADLINE, GOOD, Suite

UNSANDBOXED = BARE + 'exec "$@"'
REFUSES = "echo 'no user namespaces here' >&2; exit 1"


def replay(suite: Suite, body: str, *arguments: str, case: str | Path = "case.toml", adapter: bool = True) -> Result:
    """Run ``boxproof replay`` over a stand-in."""
    given = [str(suite.path / case), f"--helper={suite.helper(body)}", f"--farm-root={suite.place.farms}"]
    given += [f"--launch-timeout={DEADLINE}", *([f"--adapter={suite.adapter()}"] if adapter else []), *arguments]
    return CliRunner().invoke(main, ["replay", *given])


@pytest.mark.parametrize(
    ("body", "status", "first"),
    (
        (UNSANDBOXED, 1, "still fails"),
        (REFUSES, 1, "still fails"),
        (GOOD, 0, "fixed"),
    ),
)
def test_it_says_what_became_of_the_case(suite: Suite, body: str, status: int, first: str) -> None:
    suite.write(case_text())
    told = replay(suite, body)
    assert (told.exit_code, told.stdout.splitlines()[0]) == (status, first)
    assert "Traceback" not in told.output


def test_what_still_fails_is_shown(suite: Suite) -> None:
    suite.write(case_text())
    lines = replay(suite, REFUSES).stdout.splitlines()
    assert lines[1] == "no-start: MASK-1 (MUST) is not met"
    assert "    no user namespaces here" in lines
    assert not [line for line in lines if line.startswith(("case file:", "replay:"))]


def test_a_requirement_of_any_level_still_fails(suite: Suite) -> None:
    suite.write(case_text(level="RECORD"))
    assert replay(suite, UNSANDBOXED).exit_code == 1


def test_a_flaky_helper_still_fails_and_how_often_is_told(suite: Suite) -> None:
    suite.write(case_text())
    odd = 'n=$(cat "$OPEN/n" 2>/dev/null); echo "$n." >"$OPEN/n"; [ ${#n} = 1 ] && { echo no >&2; exit 1; }; ' + GOOD
    told = replay(suite, odd, "--repeat=3")
    assert told.exit_code == 1
    assert told.stdout.splitlines()[0] == "still fails (flaky: failed 1 of 3 launches)"


def test_an_allowed_refusal_is_a_repair(suite: Suite) -> None:
    suite.write(case_text(extra='launch = "ran|refused"'))
    told = replay(suite, REFUSES)
    assert (told.exit_code, told.stdout) == (0, "fixed (it is refused, which the requirement allows)\n")


def test_a_helper_without_the_capability_is_no_verdict(suite: Suite) -> None:
    suite.write(case_text())
    without = suite.adapter(capabilities=("rw-rules", "ro-rules"))
    told = replay(suite, GOOD, f"--adapter={without}", adapter=False)
    assert told.exit_code == 2
    assert told.stdout.startswith("cannot tell: not-applicable: ")


@pytest.mark.parametrize(
    ("case", "arguments"),
    (
        ("nowhere.toml", ()),
        ("wrong.toml", ()),
        ("case.toml", ("--helper=/nowhere",)),
        ("case.toml", ("--run-as=nobody",)),
        ("case.toml", ("--repeat=none",)),
        ("case.toml", ("--adapter=nsbox",)),
        ("case.toml", ("--helper-env=A",)),
    ),
)
def test_a_mistake_is_no_verdict(suite: Suite, case: str, arguments: tuple[str, ...]) -> None:
    suite.write(case_text())
    suite.write(case_text(rules=["read ws"]), "wrong.toml")
    told = replay(suite, GOOD, *arguments, case=case)
    assert (told.exit_code, told.stdout) == (2, "cannot tell: the case cannot be run as asked\n")
    (line,) = [line for line in told.stderr.splitlines() if line]
    assert line.startswith("ERROR: ")


def test_nothing_is_written(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.write(case_text())
    suite.adapter()
    before = sorted(os.listdir(suite.path))
    monkeypatch.chdir(suite.path)
    assert replay(suite, REFUSES).exit_code == 1
    assert sorted(os.listdir(suite.path)) == before


def test_what_a_failure_attaches_can_be_replayed(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    case = suite.drive(REFUSES).row["case_file"]
    assert replay(suite, REFUSES, case=case).exit_code == 1
    assert replay(suite, GOOD, case=case).exit_code == 0


def test_a_case_file_becomes_a_test_without_any_python(suite: Suite) -> None:
    suite.write(module_text(case_text("of-the-suite")), "conformance/test_mask.py")
    suite.write(case_text("reported"), "conformance/cases/reported.toml")
    suite.write(case_text("elsewhere"), "conformance/other/elsewhere.toml")
    ran = suite.drive(GOOD, "conformance")
    assert sorted(ran.rows) == ["MASK-1[of-the-suite]", "MASK-1[reported]"]
    assert suite.drive(GOOD, "conformance", "-k", "reported").verdicts == {"MASK-1[reported]": "pass"}
