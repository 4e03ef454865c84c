# SPDX-License-Identifier: MIT
"""``boxproof compare``: what a later report says that an earlier one did not."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from boxproof.errors import BoxproofError
from boxproof.report.compare import CHANGES, Comparison, Row, compare
from boxproof.report.json import Report
from boxproof.surface.files import read_report_file

BROKEN: Final = 1


class _CannotCompare(click.ClickException):
    """One line, and the status of what cannot be told."""

    exit_code = 2


@click.command(name="compare")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--json", "machine", is_flag=True, help="Print JSON.")
def compare_command(old: Path, new: Path, *, machine: bool) -> None:
    """Compare the report NEW with OLD: fixed, broken, changed, new, gone; exit 1 where anything is broken."""
    try:
        before, after = read_report_file(old), read_report_file(new)
    except BoxproofError as error:
        raise _CannotCompare(str(error)) from error
    done = compare(before, after)
    if machine:
        click.echo(json.dumps({"old": _helpers(before), "new": _helpers(after), **done.as_json()}, indent=1))
    else:
        click.echo("\n".join(_lines(done, before, after)))
    sys.exit(BROKEN if done.broken else 0)


def _helpers(report: Report) -> list[str]:
    return [helper.name for helper in report.helpers]


def _lines(done: Comparison, before: Report, after: Report) -> Iterator[str]:
    yield f"{', '.join(_helpers(before))} -> {', '.join(_helpers(after))}"
    yield from (f"note: {note}" for note in done.notes)
    several = len({row.key.helper for row in done.rows}) > 1
    for change in CHANGES:
        rows = done.of(change)
        if rows and change != "same":
            yield f"{change}: {len(rows)}"
            yield from (_line(row, several=several) for row in rows)
    yield f"same: {len(done.of('same'))}"


def _line(row: Row, *, several: bool) -> str:
    name = f"{row.key.helper}: {row.key.name}" if several else row.key.name
    level = "" if row.level == "MUST" else f" {row.level}"
    seen = " -> ".join(str(each) for each in (row.old, row.new) if each is not None)
    return f"  {name}{level}: {seen}"
