# SPDX-License-Identifier: MIT
"""Whole runs of pytest: two workers beside one, the ``required`` profile, collection, memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

ROOT: Final = Path(__file__).resolve().parents[2]
CASES: Final = 5000
_PAIRS: Final = 2
_GENERATED: Final = "conformance/test_generated.py"
_CONFTEST: Final = 'pytest_plugins = ["boxproof.plugin"]\n'
_MODULE: Final = f"""
from boxproof.model.case import Case
from boxproof.model.policy import Policy, Rule
from boxproof.model.suite import judges
from boxproof.model.tree import parse_tree

TREE = parse_tree("ws/\\nstore/\\nstore/key file\\nlink -> {{farm}}/store")


@judges("MASK-1")
def many():
    for number in range({CASES}):
        yield Case(f"case-{{number}}", "MASK-1", "a title", TREE, Policy("ws", (Rule("deny", "link"),)))
"""


@frozen
class Ran:
    """One run of pytest.

    Args:
        seconds: wall time, start of the interpreter and all.
        busy: processor seconds of the run, its workers and all launches.
        peak: the largest resident set of one of its processes, in MiB.
        launches: how many times the helper was started; 0 where nothing was run.
    """

    seconds: float
    busy: float
    peak: float
    launches: int


def run(*arguments: str, folder: Path = ROOT, helper: Sequence[str] = ()) -> Ran:
    """Run pytest to its end, whatever the verdicts."""
    with tempfile.TemporaryDirectory() as out:
        report = Path(out, "report.json")
        words = ["-q", "-p", "no:cacheprovider", f"--report={report}", f"--cases-out={out}", *helper, *arguments]
        clock = time.perf_counter()
        process = subprocess.Popen([sys.executable, "-m", "pytest", *words], cwd=folder, stdout=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - clock
        process.returncode = 0  # it has been waited for
        rows: Mapping[str, Any] = json.loads(report.read_text()) if report.is_file() else {"results": ()}
        launches = sum(row["launches"] for row in rows["results"])
    return Ran(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, launches)


def workers(helper: Sequence[str], examples: int) -> tuple[list[Ran], list[Ran]]:
    """Run the generated tests by one worker and by two, in turns."""
    words = (_GENERATED, f"--examples={examples}", "--dist=worksteal")
    pairs = [(run(*words, "-n1", helper=helper), run(*words, "-n2", helper=helper)) for _ in range(_PAIRS)]
    return [one for one, _ in pairs], [two for _, two in pairs]


def required(helper: Sequence[str]) -> Ran:
    """Run the profile that a helper must meet, by two workers."""
    return run("--profile=required", "-n2", helper=helper)


def collection() -> Ran:
    """Collect a module of `CASES` cases."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "conftest.py").write_text(_CONFTEST)
        Path(folder, "pytest.ini").write_text("[pytest]\n")
        Path(folder, "test_many.py").write_text(_MODULE)
        return run("--collect-only", "-qq", "test_many.py", folder=Path(folder))
