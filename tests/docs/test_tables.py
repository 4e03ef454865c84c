# SPDX-License-Identifier: MIT
"""The tables that people wrote hold what the code knows, no more and no less."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

import attrs
import click
import pytest

from boxproof.cli import main
from boxproof.helpers.templatefile import _KEYS, _PIECES
from boxproof.model.baseline import KEYS as BASELINE_KEYS
from boxproof.model.capability import Capability
from boxproof.model.case import SPOILT
from boxproof.model.casefile import KEYS, POLICY_KEYS
from boxproof.model.outcome import KINDS
from boxproof.model.probe import OPERATIONS, OUTCOMES
from boxproof.model.process import Process
from boxproof.report.faces import SUFFIXES
from boxproof.report.json import schema
from boxproof.surface.options import add_options
from tests.docs.table import words

CASE = "docs/reference/case-file.md"
ADAPTER = "docs/reference/adapter-file.md"
JSON = "docs/reference/json-report.md"
OPTIONS = "docs/reference/options.md"
OF_PYTEST = {"--strict", "--hypothesis-profile"}
"""Options of pytest and of Hypothesis to which the suite gives a meaning."""
TABLES = {"policy", "process", "swap"}


def declared() -> set[str]:
    """The options of the suite, as pytest knows them."""
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    (group,) = (group for group in parser._groups if group.name == "boxproof")
    return {name for option in group.options for name in option.names()}


def commands(group: click.Group, before: str = "boxproof") -> Iterator[tuple[str, click.Command]]:
    """Iterate over each command by what is typed."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{before} {name}")
        else:
            yield f"{before} {name}", command


@pytest.mark.parametrize(
    ("page", "below", "known"),
    (
        (CASE, "\n## Keys\n", {*KEYS} - TABLES | {f"[{table}]" for table in TABLES}),
        (CASE, "\nIn `[policy]`:\n", POLICY_KEYS),
        (CASE, "\n## Processes\n", [field.name for field in attrs.fields(Process)]),
        (CASE, "| operation | does |", OPERATIONS),
        (CASE, "| outcome | means |", OUTCOMES),
        (CASE, "\n## Spoilt policies\n", {*SPOILT} - {""}),
        (ADAPTER, "\n## Keys\n", {*_KEYS} - {"argv"} | {"[argv]"}),
        (ADAPTER, "\n## Pieces\n", _PIECES),
        (ADAPTER, "\n## Capabilities\n", Capability),
        ("docs/reference/baseline-file.md", "\n## Keys of an entry\n", BASELINE_KEYS),
        (JSON, "\n## `run`\n", schema()["properties"]["run"]["properties"]),
        (JSON, "\n## `results`\n", schema()["$defs"]["result"]["properties"]),
        (JSON, "\n## Findings\n", KINDS),
    ),
)
def test_the_first_column(page: str, below: str, known: Iterable[str]) -> None:
    assert sorted({word.split()[0] for word in words(page, below)}) == sorted(map(str, known))


def test_the_suffixes_of_reports() -> None:
    assert sorted(words("docs/reference/reports.md", "| form | by suffix |", 1)) == sorted(SUFFIXES)


def test_the_options() -> None:
    table = [word.partition("=")[0] for word in words(OPTIONS, "\n## Options\n")]
    assert sorted(table) == sorted(declared() | OF_PYTEST)


def test_the_options_that_the_first_page_names() -> None:
    table = [word.partition("=")[0] for word in words("README.md", "| option | meaning (default) |")]
    assert set(table) <= declared() | OF_PYTEST


def test_the_commands() -> None:
    table = [word for word in words(OPTIONS, "\n## `boxproof`\n") if word.startswith("boxproof ")]
    assert sorted(map(typed, table)) == sorted([*(name for name, _ in commands(main)), "boxproof"])


def typed(line: str) -> str:
    """Return the words of a command line up to its first argument or option."""
    return " ".join(takewhile(lambda word: re.fullmatch("[a-z][a-z-]*", word), line.split()))
