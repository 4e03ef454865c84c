# SPDX-License-Identifier: MIT
"""``--repeat``: a difference between launches is a verdict of its own, and no excuse."""

from __future__ import annotations

import shlex

import pytest

from tests.plugin.cases import case_text
from tests.plugin.suite import BARE, GOOD, Suite

UNSANDBOXED = BARE + 'exec "$@"'
REFUSES = "echo 'not today' >&2; exit 1"


def alternating(*bodies: str) -> str:
    """Return a stand-in that does each of these in turn."""
    cases = " ".join(f"{number}) {body} ;;" for number, body in enumerate(bodies))
    count = 'read -r n 2>/dev/null <"$OPEN/count" || n=0; echo $(((n + 1) % ' + str(len(bodies)) + ')) >"$OPEN/count"'
    return f"{count}; case $n in {cases} esac"


def test_what_always_passes_passes(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(GOOD, "--repeat=3")
    assert (ran.status, ran.row["verdict"], ran.row["launches"]) == (0, "pass", 3)


def test_what_always_fails_is_not_flaky(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(REFUSES, "--repeat=3")
    assert (ran.status, ran.row["verdict"], ran.row["launches"], ran.kinds) == (1, "fail", 3, ["no-start"])


def test_a_helper_that_alternates_is_flaky(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(alternating(GOOD, REFUSES), "--repeat=5")
    assert (ran.status, ran.row["verdict"], ran.row["launches"], ran.kinds) == (1, "flaky", 5, ["no-start"])
    assert "flaky: failed 2 of 5 launches" in ran.text()
    assert "--repeat=5" in shlex.split(ran.row["replay"])
    assert ran.report["summary"]["flaky"] == 1
    assert "MASK-1 has 1 flaky" in ran.report["run"]["unmet"]


def test_a_leak_now_and_then_still_fails(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(alternating(GOOD, GOOD, UNSANDBOXED), "--repeat=4")
    assert (ran.status, ran.row["verdict"]) == (1, "flaky")
    assert {"unsandboxed", "leak"} <= {*ran.kinds}
    assert "flaky: failed 1 of 4 launches" in ran.text()
    assert "this is a security finding: report it to the vendor in private first" in ran.text()


def test_all_kinds_of_failure_are_told(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(alternating(REFUSES, UNSANDBOXED), "--repeat=2")
    assert (ran.status, ran.row["verdict"]) == (1, "flaky")
    assert {"no-start", "unsandboxed", "leak"} <= {*ran.kinds}


@pytest.mark.parametrize(("strict", "status"), (((), 0), (("--strict",), 1)), ids=["reported", "strict"])
def test_a_should_that_is_flaky_is_a_should(suite: Suite, strict: tuple[str, ...], status: int) -> None:
    suite.write(case_text(level="SHOULD", requirement="CONF-1"), "cases/one.toml")
    ran = suite.drive(alternating(GOOD, REFUSES), "--repeat=2", *strict)
    assert (ran.status, ran.row["verdict"]) == (status, "flaky")


def test_running_and_being_refused_in_turn_is_told_in_words(suite: Suite) -> None:
    suite.write(case_text(extra='launch = "ran|refused"'), "cases/one.toml")
    ran = suite.drive(alternating(GOOD, REFUSES), "--repeat=4")
    assert (ran.status, ran.row["verdict"]) == (1, "flaky")
    assert "ran" in (said := "\n".join(ran.text()))
    assert "refused" in said
    assert said.splitlines()[-1].startswith("replay: ")
