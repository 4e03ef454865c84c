# SPDX-License-Identifier: MIT
"""The files that pages show whole can be read."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from boxproof.helpers.templatefile import load
from boxproof.model.baseline import load_baseline
from boxproof.model.casefile import load_case
from boxproof.report.json import schema
from tests.docs.page import PAGES, Block, blocks

SHOWN = [block for page in PAGES for block in blocks(page) if block.language in {"toml", "json"}]


def those(key: str, language: str = "toml") -> list[Block]:
    """The blocks with a line that begins so."""
    return [block for block in SHOWN if block.language == language and f"\n{key}" in f"\n{block.text}"]


@pytest.mark.parametrize("block", those("requirement = "), ids=lambda block: f"{block.page}:{block.line}")
def test_a_case(block: Block) -> None:
    assert load_case(block.text, "case.toml").title


@pytest.mark.parametrize("block", those("[argv]"), ids=lambda block: f"{block.page}:{block.line}")
def test_an_adapter(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "adapter.toml"
    path.write_text(block.text, encoding="utf-8")
    assert load(path).name


@pytest.mark.parametrize("block", those("[[known]]"), ids=lambda block: f"{block.page}:{block.line}")
def test_a_baseline(block: Block) -> None:
    assert load_baseline(block.text, "known.toml").known


@pytest.mark.parametrize("block", those(' "format": 1', "json"), ids=lambda block: f"{block.page}:{block.line}")
def test_a_report(block: Block) -> None:
    jsonschema.validate(json.loads(block.text), schema())


def test_every_file_is_of_its_language() -> None:
    for block in SHOWN:
        assert tomllib.loads(block.text) if block.language == "toml" else json.loads(block.text)


def test_there_are_some_of_each() -> None:
    assert all((those("requirement = "), those("[argv]"), those("[[known]]"), those(' "format": 1', "json")))
