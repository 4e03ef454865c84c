# SPDX-License-Identifier: MIT
"""Known-bad helpers as a user starts them."""

from __future__ import annotations

from click.testing import CliRunner

from boxproof.cli import main
from boxproof.known_bad.table import table
from boxproof.model.casefile import dump_case
from tests.known_bad.bench import of
from tests.plugin.suite import Suite


def test_the_suite_runs_one_by_its_name(suite: Suite) -> None:
    case = suite.write(dump_case(of("MASK-1")[0]))
    ran = suite.run("--helper=known-bad:deny-by-link-dropped", f"--case={case}")
    assert (ran.status, ran.row["helper"], ran.kinds[0]) == (1, "known-bad-deny-by-link-dropped", "leak")
    assert suite.run("--helper=reference", f"--case={case}").status == 0


def test_they_are_listed() -> None:
    listed = CliRunner().invoke(main, ["list", "known-bad"]).output.splitlines()
    assert [line.split()[:2] for line in listed] == [[bad.name, bad.caught] for bad in table()]
