# SPDX-License-Identifier: MIT
"""``--ground``: where cases are run, and what a result says of it."""

from __future__ import annotations

import pytest

from tests.plugin.cases import case_text
from tests.plugin.suite import GOOD, Suite


@pytest.mark.parametrize(
    ("given", "said"),
    (
        ("hots", "--ground=hots is unknown; did you mean 'host'?"),
        ("host:here", "--ground=host:here makes no sense; write --ground=host"),
        ("layout", "--ground=layout makes no sense; write --ground=layout:NAME"),
        ("layout:", "--ground=layout: makes no sense; write --ground=layout:NAME"),
        ("container:", "--ground=container: makes no sense; write --ground=container:NAME"),
    ),
)
def test_a_ground_that_is_none_is_a_usage_error(suite: Suite, given: str, said: str) -> None:
    ran = suite.run(f"--ground={given}")
    assert ran.status == pytest.ExitCode.USAGE_ERROR
    assert said in ran.err


def test_a_ground_is_given_once(suite: Suite) -> None:
    ran = suite.run("--ground=host", "--ground=host")
    assert ran.status == pytest.ExitCode.USAGE_ERROR
    assert "--ground names 'host' twice; give each ground once" in ran.err


def test_a_case_about_a_layout_is_not_applicable_on_a_host(suite: Suite) -> None:
    suite.write(case_text(extra='layout = "el9"'), "about.toml")
    ran = suite.drive(GOOD, "--case=about.toml", "--ground=host")
    assert ran.status == pytest.ExitCode.TESTS_FAILED
    assert ran.row["verdict"] == "not-applicable"
    assert "the case is about the layout 'el9'" in ran.row["reason"]
