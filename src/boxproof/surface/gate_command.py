# SPDX-License-Identifier: MIT
"""``boxproof gate``: the suite as a job of a CI system runs it, with all that it leaves in one folder."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from boxproof.errors import BoxproofError
from boxproof.report.faces import FACES
from boxproof.surface.files import read_report_file
from boxproof.surface.github import annotate, put_out, summarise, without_commands
from boxproof.surface.run_command import run_suite
from boxproof.surface.setup import read_contract

REPORT: Final = "report.json"
_REPORTS: Final = (REPORT, "report.html", "report.xml")
_NO_REPORT: Final = "the suite wrote no report (exit status {status}); its log says why"


class _CannotWrite(click.ClickException):
    """One line, and pytest's status of what could not be written at the end."""

    exit_code = 3


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--output", type=click.Path(path_type=Path), default=Path("boxproof-out"), help="The folder.")
@click.option("--grounds", default="", metavar="GROUND...", help="Grounds in one word, parted by blanks.")
@click.option("--args", "more", default="", metavar="OPTION...", help="Options in one word, written as for a shell.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def gate(output: Path, grounds: str, more: str, options: tuple[str, ...]) -> None:
    """Run the suite with pytest's OPTIONS; leave its reports and the failing cases in one folder.

    The reports are report.json, report.html and report.xml. In a step of GitHub Actions the report is its summary too,
    what failed is annotated, and its outputs are met (true or false) and report (the path of report.json).
    """
    words = [*options, *(f"--ground={ground}" for ground in grounds.split()), *_split(more)]
    try:
        status = _run(output, words)
        _tell(output / REPORT, status)
    except BoxproofError as error:
        raise _CannotWrite(str(error)) from error
    sys.exit(status)


def _split(text: str) -> Sequence[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise click.UsageError(f"--args: {error}") from error


def _run(folder: Path, words: Sequence[str]) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in _REPORTS:  # of an earlier run, which would pass for this one's
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise click.UsageError(f"--output: '{folder}' cannot be written ({error.strerror})") from error
    with without_commands():
        return run_suite([*words, *(f"--report={folder / name}" for name in _REPORTS), f"--cases-out={folder}"])


def _tell(path: Path, status: int) -> None:
    if not path.exists():
        annotate(f"::error title=boxproof::{_NO_REPORT.format(status=status)}\n")
        summarise(f"## Boxproof\n\n{_NO_REPORT.format(status=status).capitalize()}.\n")
        put_out({"met": "false"})
        return
    report = read_report_file(path)
    annotate(FACES["annotations"](report, {}))
    summarise(FACES["md"](report, read_contract()))
    put_out({"met": str(report.run.met).lower(), "report": str(path)})
