# SPDX-License-Identifier: MIT
"""Every command of every page, in the page's order, each page in a checkout of its own."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.docs.page import PAGES, Block, Step, blocks, steps
from tests.docs.same import difference
from tests.docs.stage import Stage, set_stage
from tests.plugin.place import Place

IN_A_HURRY: Final = {"README.md", "docs/tutorial.md"}
"""The pages that are read first, whose commands `tox -e tests` runs, too; `tox -e docs` runs all."""
_USAGE: Final = re.compile(r"^(ERROR|Error|Usage|error): ?", re.MULTILINE)


@pytest.fixture
def stage(place: Place) -> Stage:
    return set_stage(place)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=() if page in IN_A_HURRY else (pytest.mark.pages,))
        for page in PAGES
        if any(block.has_commands for block in blocks(page))
    ],
)
def test_the_commands_of(page: str, stage: Stage) -> None:
    printed = ""
    for block in blocks(page):
        if block.is_text:
            stage.write(block)
        elif "printed" in block.marks:
            _compare(f"...\n{block.text}...\n", printed, f"{page}:{block.line}")
        elif block.has_commands and "not run" not in block.marks:
            for step in steps(block):
                printed = _take(step, block, stage)


def _take(step: Step, block: Block, stage: Stage) -> str:
    done = stage.run(step.command, literally=step.shown is not None)
    about = f"{block.page}:{block.line}: {step.command}\n{done.stdout}"
    if step.status is None:
        # a verdict, whatever it is, and no mistake in the command
        assert done.returncode in {0, 1}, f"status {done.returncode}: {about}"
        assert not _USAGE.search(done.stdout), about
    else:
        assert done.returncode == step.status, f"status {done.returncode}, not {step.status}: {about}"
    if step.shown is not None:
        _compare(step.shown, done.stdout, about)
    return done.stdout


def _compare(shown: str, printed: str, about: str) -> None:
    differs = difference(shown, printed)
    if differs:
        pytest.fail(f"{about}\n{differs}", pytrace=False)
