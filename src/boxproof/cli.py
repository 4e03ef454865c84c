# SPDX-License-Identifier: MIT
"""``boxproof``: the suite from an installed package, and what it holds."""

from __future__ import annotations

import click

import boxproof
from boxproof.errors import BoxproofError
from boxproof.grounds.places import read_layouts
from boxproof.helpers.registry import known_bad_helpers
from boxproof.surface.baseline_command import baseline
from boxproof.surface.compare_command import compare_command
from boxproof.surface.conditions_command import conditions
from boxproof.surface.doctor_command import doctor
from boxproof.surface.gate_command import gate
from boxproof.surface.helpers_command import helpers
from boxproof.surface.history_command import history
from boxproof.surface.layouts_page import lines, page
from boxproof.surface.merge_command import merge_command
from boxproof.surface.reduce_command import reduce
from boxproof.surface.replay_command import replay
from boxproof.surface.report_command import report_command
from boxproof.surface.run_command import run
from boxproof.surface.setup import read_contract, suite_root
from boxproof.surface.simulate_command import simulate


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(boxproof.__version__, prog_name="boxproof")
def main() -> None:
    """Judge Linux sandbox helpers on the symlinks that real machines have."""


main.add_command(run)
main.add_command(gate)
main.add_command(replay)
main.add_command(reduce)
main.add_command(history)
main.add_command(simulate)
main.add_command(baseline)
main.add_command(compare_command)
main.add_command(merge_command)
main.add_command(report_command)
main.add_command(doctor)


@main.group(name="list")
def list_() -> None:
    """Show what the suite holds."""


@list_.command()
def requirements() -> None:
    """Print each requirement's id, level and statement."""
    try:
        contract = read_contract()
    except BoxproofError as error:
        raise click.ClickException(str(error)) from error
    for requirement in contract.values():
        click.echo(f"{requirement.id:<8} {requirement.level:<6} {requirement.statement}")


list_.add_command(helpers)
list_.add_command(conditions)


@list_.command()
@click.option("--markdown", is_flag=True, help="Print the page of the documentation.")
def layouts(*, markdown: bool) -> None:
    """Print each distribution layout's name and what it is a replica of."""
    try:
        known = read_layouts(suite_root())
    except BoxproofError as error:
        raise click.ClickException(str(error)) from error
    click.echo(page(known) if markdown else "\n".join(lines(known)), nl=not markdown)


@list_.command()
def known_bad() -> None:
    """Print the helpers that are wrong on purpose, each with the requirement that catches it."""
    click.echo(known_bad_helpers(), nl=False)
