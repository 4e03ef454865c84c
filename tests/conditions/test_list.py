# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from boxproof.conditions.registry import conditions
from boxproof.surface.conditions_command import conditions as command

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "conditions.md"


def test_each_condition_has_a_line_with_its_fidelity() -> None:
    lines = CliRunner().invoke(command).output.splitlines()
    assert [line.split()[:2] for line in lines] == [[name, known.fidelity] for name, known in conditions().items()]


def test_the_page_is_current() -> None:
    """Where this fails: boxproof list conditions --markdown >docs/reference/conditions.md"""
    assert PAGE.read_text("utf-8") == CliRunner().invoke(command, ["--markdown"]).output
