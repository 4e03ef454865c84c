# SPDX-License-Identifier: MIT
"""The images that these tests run in; each test is skipped, with the reason, where its image is not here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from boxproof.errors import GroundError
from boxproof.grounds.container.engine import QUIRKS, Engine, find_engine

ROOT = Path(__file__).parents[2]
SECONDS = 900


@frozen
class Ran:
    """One run of pytest in a process of its own."""

    status: int
    out: str
    report: Any

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdicts by id."""
        return {row["id"]: row["verdict"] for row in self.report["results"]}


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Whatever engine answers."""
    try:
        return find_engine()
    except GroundError as error:
        pytest.skip(str(error))


@pytest.fixture
def image(engine: Engine) -> Callable[[str], str]:
    """Return a name that ``--ground=container:`` takes, where its image is here."""

    def known(name: str) -> str:
        try:
            engine.image(name)
        except GroundError as error:
            pytest.skip(str(error))
        return name

    return known


@pytest.fixture
def judged(tmp_path: Path) -> Callable[..., Ran]:
    """Run the suite and return what came of it."""

    def run(*arguments: str) -> Ran:
        report = tmp_path / "run.json"
        own = [f"--report={report}", f"--cases-out={tmp_path}/out", "--examples=0", "-p", "no:cacheprovider"]
        done = run_pytest(ROOT, "conformance", *own, *arguments)
        return Ran(done.returncode, done.stdout, json.loads(report.read_text("utf-8")) if report.exists() else None)

    return run


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder."""
    command: Sequence[str] = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)


def build(engine: Engine, folder: Path, tag: str, *words: str) -> None:
    """Build an image, with whatever this host needs for that."""
    done = None
    for quirks in QUIRKS[engine.name]:
        own = ("--pull=false", "--network=host", *quirks, "--tag", tag, "--file", str(folder / "Containerfile"))
        done = engine.ask("build", *own, *words, str(folder))
        if done.returncode == 0:
            return
    assert done is None, done.stdout + done.stderr
