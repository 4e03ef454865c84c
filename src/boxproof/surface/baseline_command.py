# SPDX-License-Identifier: MIT
"""``boxproof baseline``: from a report to the file that ``--baseline`` takes."""

from __future__ import annotations

from pathlib import Path

import click

from boxproof.errors import BoxproofError, ReportError
from boxproof.model.baseline import UNEXPLAINED
from boxproof.surface.baseline_write import Defaults, write_baseline
from boxproof.surface.files import check_writable, read_report_file, write_whole


class _CannotWrite(click.ClickException):
    """One line, and the status of what cannot be told."""

    exit_code = 2


@click.command()
@click.argument("report", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The baseline; kept and added to.")
@click.option("--reason", default=UNEXPLAINED, help="The reason of new entries.  [default: one to fill in]")
@click.option("--reference", default="", help="The public report of new entries.")
def baseline(report: Path, output: Path, reason: str, reference: str) -> None:
    """List what failed in REPORT as known; what is listed already stays as it is, what passes now is taken out."""
    try:
        check_writable(output)
        old = _read(output)
        written = write_baseline(read_report_file(report), old, output.name, Defaults(reason, reference))
        if written.text != old:
            write_whole(output, written.text)
    except BoxproofError as error:
        raise _CannotWrite(str(error)) from error
    click.echo(f"{output}: {written.added} new, {written.kept} kept, {len(written.dropped)} ids taken out")
    for name in written.dropped:
        click.echo(f"  passes now: {name}")
    if unexplained := written.text.count(f'reason = "{UNEXPLAINED}"'):
        click.echo(f"reasons to fill in: {unexplained}; --baseline takes no entry without one")


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape") if path.exists() else ""
    except OSError as error:
        raise ReportError(f"the baseline '{path}' cannot be read", cause=error.strerror or "") from error
