# SPDX-License-Identifier: MIT
"""A checkout in which the commands of a page are run, with the helpers and reports that pages name.

``./my-helper`` is the one of the how-to about adapters, and stands in wherever a page names a helper that the reader
has. A command that would run the whole suite is given one module of it and no generated cases, but for a transcript,
which is run as it stands.
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

from tests.docs.page import CHECKOUT, Block, blocks
from tests.plugin.place import SECONDS, Place

HELPER: Final = "docs/how-to/describe-a-helper.md"
_COPIED: Final = ("conformance", "fixtures")
_LINKED: Final = ("src", "tests", "containers", "docs", "conftest.py", "pyproject.toml", "README.md")
_SUITE: Final = re.compile(r"(?:pytest|boxproof run)\b")
_CHOSEN: Final = re.compile(r" -k | --case=| conformance/| tests/")
_NARROW: Final = "conformance/test_start.py -k START-1"


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
        """Put a block's text into the file that it shows."""
        path = self.root / block.marks["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text.replace("/usr/bin/bwrap", str(self.place.bwrap())), encoding="utf-8")
        path.chmod(0o755)

    def run(self, command: str, *, literally: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a command; what it prints on both streams is its stdout.

        Args:
            command: for a shell.
            literally: without anything that makes it shorter.
        """
        command = re.sub(r"/path/to/[\w-]+", "./my-helper", command)
        return subprocess.run(
            ["/bin/bash", "-c", command.replace("/usr/bin/bwrap", str(self.place.bwrap()))],
            cwd=self.root,
            env=self._environment("" if literally else _shorter(command)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=4 * SECONDS,
            check=False,
        )

    def _environment(self, addopts: str) -> dict[str, str]:
        own = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": f"{self.root}/src:{self.root}",
            "COLUMNS": "80",
            "GITHUB_STEP_SUMMARY": str(self.root / "summary.md"),
            "PYTEST_ADDOPTS": addopts,
        }
        return {**os.environ, **own}


def _shorter(command: str) -> str:
    """Return the options that keep a command from running everything, and drive the helper that stands in."""
    if not _SUITE.match(command):
        return ""
    options = [] if _CHOSEN.search(command) else [_NARROW]
    if "--examples" not in command:
        options.append(f"--examples={2 if 'generated' in command else 0}")
    if "my-helper" in command and "--adapter" not in command:
        options.append("--adapter=my-helper.toml")
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
    return stage
