# SPDX-License-Identifier: MIT
"""``boxproof list conditions``: what a host can be made to lack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from boxproof.conditions.condition import Condition
from boxproof.conditions.registry import conditions as every_condition

_HEAD: Final = """\
# Conditions

What `boxproof simulate` takes, and the key `condition` of a case file; several are put together with `+`, unless they
are about the same thing. This page is what `boxproof list conditions --markdown` prints.

Before a case runs under a condition, its canaries ask the kernel from inside: only where all of them answer as the
table says is the condition in force. Fidelity: `real`, the kernel itself refuses; `equivalent`, the same call fails
with the same errno at the same step; `approximate`, the same symptom on the common path, which warns and never fails
a release.

| condition | fidelity | what it means | canaries | about | reports |
| --- | --- | --- | --- | --- | --- |"""


@click.command()
@click.option("--markdown", is_flag=True, help="Print the page of the documentation.")
def conditions(*, markdown: bool) -> None:
    """Print each condition's name, fidelity and what it means."""
    known = every_condition().values()
    width = max(len(condition.name) for condition in known)
    if markdown:
        click.echo(_HEAD)
    for condition in known:
        plain = f"{condition.name:<{width}}  {condition.fidelity:<11}  {condition.summary}"
        click.echo(_row(condition) if markdown else plain)


def _row(condition: Condition) -> str:
    about, reports = ", ".join(sorted(condition.about)), ", ".join(condition.sources)
    cells = (
        f"`{condition.name}`",
        condition.fidelity,
        condition.summary,
        "<br>".join(_asked(condition)),
        about,
        reports,
    )
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _asked(condition: Condition) -> Iterator[str]:
    for canary in condition.canaries:
        yield f"{' '.join((canary.question, *canary.arguments))}: {canary.answer}"
