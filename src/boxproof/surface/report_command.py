# SPDX-License-Identifier: MIT
"""``boxproof report``: a JSON report in another form."""

from __future__ import annotations

import json
from pathlib import Path

import click

from boxproof.errors import BoxproofError
from boxproof.report.faces import FACES, form_of
from boxproof.report.json import schema, write_text
from boxproof.surface.files import check_writable, read_report_file
from boxproof.surface.setup import read_contract


class _CannotReport(click.ClickException):
    """One line, and the status of what cannot be told."""

    exit_code = 2


@click.command(name="report")
@click.argument("report", type=click.Path(path_type=Path), required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), multiple=True, help="A file; its suffix is the form.")
@click.option("--as", "form", type=click.Choice([*FACES]), help="The form; without -o it is printed.")
@click.option("--schema", "as_schema", is_flag=True, help="Print the JSON Schema of reports.")
def report_command(report: Path | None, output: tuple[Path, ...], form: str | None, *, as_schema: bool) -> None:
    """Write the JSON report REPORT as HTML, Markdown, JUnit's XML, a badge or GitHub's annotations."""
    if as_schema:
        click.echo(json.dumps(schema(), indent=2))
        return
    if report is None or not (output or form):
        raise click.UsageError("give a REPORT and -o FILE or --as FORM")
    try:
        _write(report, output, form)
    except BoxproofError as error:
        raise _CannotReport(str(error)) from error


def _write(path: Path, output: tuple[Path, ...], form: str | None) -> None:
    forms = {target: form or form_of(str(target)) for target in output}
    for target in forms:
        check_writable(target)
    report, contract = read_report_file(path), read_contract()
    for target, name in forms.items():
        write_text(FACES[name](report, contract), str(target))
    if form and not output:
        click.echo(FACES[form](report, contract), nl=False)
