# SPDX-License-Identifier: MIT
"""What the runner of GitHub Actions reads of a step: its log, its summary and its outputs.

The runner names two files in variables, ``GITHUB_STEP_SUMMARY`` and ``GITHUB_OUTPUT``, to which a step appends, and
takes lines of the log that begin with ``::`` for commands ("Workflow commands for GitHub Actions").
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import click

from boxproof.errors import ReportError

ACTIONS: Final = "GITHUB_ACTIONS"
"""``true`` where a step runs."""
SUMMARY: Final = "GITHUB_STEP_SUMMARY"
OUTPUT: Final = "GITHUB_OUTPUT"


@contextmanager
def without_commands() -> Iterator[None]:
    """Have the runner take nothing for a command meanwhile: a helper's own words come into the log.

    The word that ends this is drawn anew, so that no helper can know it.
    """
    word = secrets.token_hex(16)
    on = os.environ.get(ACTIONS) == "true"
    if on:
        click.echo(f"::stop-commands::{word}")
    try:
        yield
    finally:
        if on:
            click.echo(f"::{word}::")


def annotate(commands: str) -> None:
    """Print workflow commands where there is a runner that reads them."""
    if os.environ.get(ACTIONS) == "true":
        click.echo(commands, nl=False)


def summarise(text: str) -> None:
    """Append Markdown to the summary of the step, where there is one.

    Raises:
        ReportError: where the runner's file cannot be written.
    """
    _append(SUMMARY, text)


def put_out(values: Mapping[str, str]) -> None:
    """Set outputs of the step, where there is one.

    The word that ends a value is drawn anew, so that no value can set another.

    Raises:
        ReportError: where the runner's file cannot be written.
    """
    end = secrets.token_hex(16)
    _append(OUTPUT, "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value in values.items()))


def _append(variable: str, text: str) -> None:
    path = os.environ.get(variable)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise ReportError(f"'{path}' cannot be written", cause=error.strerror or "", cure=f"see {variable}") from error
