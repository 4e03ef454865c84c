# SPDX-License-Identifier: MIT
"""``boxproof replay``: one recorded case under one helper, and whether it still fails there."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import click
import pytest
from attrs import define, field

from boxproof.model.outcome import Verdict
from boxproof.surface.setup import apart

STILL_FAILS: Final = 1
FIXED: Final = 0
CANNOT_TELL: Final = 2
_FAILING: Final = frozenset({Verdict.FAIL.value, Verdict.FLAKY.value})
_OPTIONS: Final = ("helper", "adapter", "ground", "run-as", "repeat", "launch-timeout", "farm-root")


@define(eq=False)
class _Rows:
    """Collects results from pytest's reports, as a plugin."""

    rows: list[dict[str, Any]] = field(factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the result that comes with the report of a case."""
        self.rows += [vars(report)["boxproof"]] if "boxproof" in vars(report) else []


@click.command()
@click.argument("case", type=click.Path(path_type=Path))
@click.option("--helper", default="reference", show_default=True, help="The helper: a path or a name.")
@click.option("--adapter", help="How to drive it: a name or a TOML file.")
@click.option("--helper-env", multiple=True, metavar="K=V", help="Extra environment for the helper; repeatable.")
@click.option("--ground", help="Where: host, layout:NAME or container:NAME.")
@click.option("--run-as", help="user or root.")
@click.option("--repeat", help="Launches; a difference is flaky.")
@click.option("--launch-timeout", help="Seconds for one launch.")
@click.option("--farm-root", help="Where the farm is built.")
def replay(case: Path, helper_env: tuple[str, ...], **options: str | None) -> None:
    """Run a recorded CASE once more: still fails (exit 1), fixed (0) or cannot tell (2)."""
    given = {name: options[name.replace("-", "_")] for name in _OPTIONS}
    words = [f"--{name}={value}" for name, value in given.items() if value is not None]
    status, rows = _run(case, [*words, *(f"--helper-env={pair}" for pair in helper_env)])
    sys.exit(_told(rows[0]) if len(rows) == 1 else _nothing(status))


def _run(case: Path, words: list[str]) -> tuple[int, list[dict[str, Any]]]:
    """Let pytest run the case, silent but for mistakes in the options; what a failure writes is not kept."""
    collector = _Rows()
    with tempfile.TemporaryDirectory(prefix="boxproof-replay-") as folder:
        given = ["-p", "no:terminal", f"--cases-out={folder}", f"--case={case}", *words]
        status = pytest.main([*apart(), *given], plugins=[collector])
    return int(status), collector.rows


def _told(row: dict[str, Any]) -> int:
    """Say what became of the case and return the exit status."""
    if row["verdict"] in _FAILING:
        click.echo(f"still fails{_how_often(row)}")
        click.echo("\n".join(_without_paths(row["text"])))
        return STILL_FAILS
    if row["verdict"] == Verdict.PASS.value:
        click.echo(f"fixed{' (it is refused, which the requirement allows)' if row['launch'] == 'refused' else ''}")
        return FIXED
    click.echo(f"cannot tell: {row['verdict']}: {row['reason']}")
    return CANNOT_TELL


def _how_often(row: dict[str, Any]) -> str:
    return f" ({row['reason']})" if row["verdict"] == Verdict.FLAKY.value else ""


def _without_paths(text: str) -> list[str]:
    """Return the lines of a failure without the last two: the caller has the case file and the command."""
    return text.splitlines()[:-2]


def _nothing(status: int) -> int:
    """Return the exit status for a run without a result, whose reason pytest has printed."""
    if status != pytest.ExitCode.USAGE_ERROR:
        click.echo("cannot tell: the case was not run to its end", err=True)
    else:
        click.echo("cannot tell: the case cannot be run as asked")
    return CANNOT_TELL
