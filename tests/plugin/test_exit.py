# SPDX-License-Identifier: MIT
"""Verdicts as pytest shows them, and the exit status."""

from __future__ import annotations

from tests.plugin.cases import case_text
from tests.plugin.suite import BARE, GOOD, Suite


def test_a_helper_that_meets_the_profile(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(GOOD)
    print(ran.out, ran.err, ran.report)
    assert ran.status == 0
    assert ran.verdicts == {"MASK-1[plain]": "pass"}
    assert ran.report["run"]["met"] is True


def test_a_helper_that_does_not(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(BARE + 'exec "$@"')
    print(ran.out)
    assert ran.status == 1
    assert ran.kinds[0] == "unsandboxed"
