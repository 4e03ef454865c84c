# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from boxproof.cli import main
from boxproof.helpers.registry import adapters

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "helpers.md"


def said(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["list", "helpers", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_each_adapter_has_a_line() -> None:
    lines = said().splitlines()
    assert [line.split()[0] for line in lines] == [adapter.name for adapter in adapters()]
    assert "  Landlock in namespaces, then bubblewrap  " in said()
    assert "deny" not in next(line for line in lines if line.startswith("hozo")).split()


def test_the_page_is_what_the_adapters_say() -> None:
    """Where this fails: boxproof list helpers --markdown >docs/reference/helpers.md"""
    assert PAGE.read_text(encoding="utf-8") == said("--markdown")
