# SPDX-License-Identifier: MIT
"""``boxproof merge``: the reports of shards as the report of one run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from boxproof.errors import BoxproofError
from boxproof.report.json import write_report
from boxproof.report.matrix import counts
from boxproof.report.merge import merge
from boxproof.surface.files import check_writable, read_report_file
from boxproof.surface.setup import read_contract


class _CannotMerge(click.ClickException):
    """One line, and the status of what cannot be told."""

    exit_code = 2


@click.command(name="merge")
@click.argument("reports", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The report for all.")
def merge_command(reports: tuple[Path, ...], output: Path) -> None:
    """Join the REPORTS of all shards: exit 0 where the profile is met, 1 where it is not, 2 where they do not fit."""
    try:
        check_writable(output)
        whole = merge([read_report_file(path) for path in reports], [path.name for path in reports], read_contract())
        write_report(whole, str(output))
    except BoxproofError as error:
        raise _CannotMerge(str(error)) from error
    for helper in whole.helpers:
        click.echo(f"{helper.name}: {counts([each for each in whole.results if each.helper == helper.name])}")
    click.echo(f"profile {whole.run.profile}: {'met' if whole.run.met else 'not met'}")
    for line in (*(f"  {reason}" for reason in whole.run.unmet), *whole.run.notes):
        click.echo(line)
    sys.exit(0 if whole.run.met else 1)
