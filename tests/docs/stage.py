# SPDX-License-Identifier: MIT
"""A checkout in which the commands of a page are run, with the helpers and reports that pages name.

``./my-helper`` is the one of the how-to about adapters. It stands in wherever a page names a helper that only the
reader has, below ``/path/to`` or ``./target/release``. A command that would run the whole suite is given one module of
it and no generated cases, but for a transcript, which is run as it stands.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from attrs import frozen

from boxproof.report.json import write_report
from tests.docs.page import CHECKOUT, Block, blocks
from tests.plugin.place import SECONDS, Place
from tests.report.reports import FAIL, PASS, of

HELPER: Final = "docs/how-to/describe-a-helper.md"
CASE: Final = "docs/how-to/write-a-case.md"
_BIN: Final = ".venv/bin"
_COPIED: Final = ("conformance", "fixtures", "containers", "docs")
_LINKED: Final = ("src", "tests", "conftest.py", "pyproject.toml")
_SUITE: Final = re.compile(r"(?:pytest|boxproof run|boxproof gate)\b")
_CHOSEN: Final = re.compile(r" -k | --case=| conformance/| tests/")
_NARROW: Final = "conformance/test_start.py -k 'START-1 and workspace'"


@frozen
class Stage:
    """Where commands are run.

    Args:
        place: what they must leave as it was.
        root: the checkout in it.
    """

    place: Place
    root: Path

    def write(self, block: Block) -> None:
        """Put a block's text where the page says."""
        text = self._here(block.text)
        if "below" in block.marks:
            name, _, line = block.marks["below"].partition(": ")
            before, found, after = (self.root / name).read_text("utf-8").partition(f"{line}\n")
            assert found, f"{block.page}:{block.line}: {name} has no line '{line}'"
            text = f"{before}{found}{text}{after}"
        else:
            name = block.marks.get("file") or block.marks["append"]
        with (self.root / name).open("a" if "append" in block.marks else "w", encoding="utf-8") as file:
            file.write(text)
        (self.root / name).chmod(0o755)

    def run(self, command: str, *, literally: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a command; what it prints on both streams is its stdout.

        Args:
            command: for a shell.
            literally: without anything that makes it shorter.
        """
        return subprocess.run(
            ["/bin/bash", "-c", self._here(_standing_in(command))],
            cwd=self.root,
            env=self._environment("" if literally else _shorter(command)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=4 * SECONDS,
            check=False,
        )

    def _here(self, text: str) -> str:
        return text.replace("/usr/bin/bwrap", str(self.place.bwrap()))

    def _environment(self, addopts: str) -> dict[str, str]:
        own = {
            "PATH": f"{self.root / _BIN}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": f"{self.root}/src:{self.root}",
            "COLUMNS": "80",
            "GITHUB_STEP_SUMMARY": str(self.root / "summary.md"),
            "PYTEST_ADDOPTS": addopts,
        }
        # by tox's own variables pytest moves its cache, and says so
        given = {name: value for name, value in os.environ.items() if not name.startswith("TOX_")}
        return {**given, **own}


def _standing_in(command: str) -> str:
    """Put the helper at hand in the place of one that only the reader has."""
    command = re.sub(r"--helper=(?:/path/to|\./target/release)/[\w-]+", "--helper=./my-helper", command)
    if "--helper=./my-helper" in command and "--adapter" not in command:
        return command.replace("--helper=./my-helper", "--helper=./my-helper --adapter=my-helper.toml")
    return command


def _shorter(command: str) -> str:
    """Return the options that keep a command from running everything."""
    if not _SUITE.match(command):
        return ""
    options = [] if _CHOSEN.search(command) else [_NARROW]
    if "--examples" not in command:
        options.append(f"--examples={2 if 'generated' in command else 0}")
    return " ".join(options)


def set_stage(place: Place) -> Stage:
    """Build the checkout."""
    stage = Stage(place, place.root / "checkout")
    for name in _COPIED:
        shutil.copytree(CHECKOUT / name, stage.root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in _LINKED:
        (stage.root / name).symlink_to(CHECKOUT / name)
    for block in blocks(HELPER):
        if "file" in block.marks:
            stage.write(block)
    _furnish(stage.root)
    return stage


def _furnish(root: Path) -> None:
    """Put there what a reader has by now: a case that fails, reports, and an environment."""
    (case,) = (block.text for block in blocks(CASE) if block.marks.get("file") == "dotfile-in-store.toml")
    (root / "case.toml").write_text(case, encoding="utf-8")
    for name, report in (
        ("old.json", of(PASS)),
        ("new.json", of(PASS, FAIL)),
        ("report.json", of(PASS, FAIL)),
        ("boxproof.json", of(PASS, FAIL)),
    ):
        write_report(report, str(root / name))
    programs = root / _BIN
    programs.mkdir(parents=True)
    (programs / "activate").touch()
    # an environment need not have installed what is tested
    start = f"""exec {sys.executable} -c 'from boxproof.cli import main; main(prog_name="boxproof")' "$@"\n"""
    (programs / "boxproof").write_text(f"#!/bin/sh\n{start}", encoding="utf-8")
    (programs / "boxproof").chmod(0o755)
