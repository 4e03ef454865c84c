# SPDX-License-Identifier: MIT
"""``boxproof doctor``: what this machine can and cannot test, one line each."""

from __future__ import annotations

import json
from pathlib import Path

import click
from attrs import asdict

from boxproof.errors import BoxproofError
from boxproof.grounds.accounts import launch_user
from boxproof.surface.doctor import examine
from boxproof.surface.options import keeps_root
from boxproof.surface.setup import suite_root


@click.command()
@click.option(
    "--run-as", type=click.Choice(("user", "root")), default="user", show_default=True, help="Who helpers run as."
)
@click.option("--farm-root", type=click.Path(path_type=Path), help="Where farms are built.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead.")
def doctor(run_as: str, farm_root: Path | None, *, as_json: bool) -> None:
    """Say what this machine can test, what it cannot, and why; exit 0 whatever it is."""
    try:
        user = launch_user("root" if keeps_root(run_as) else "user")
        checks = tuple(examine(user, str(farm_root.absolute()) if farm_root else "", suite_root()))
    except BoxproofError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], indent=1))
        return
    for check in checks:
        click.echo(f"{'yes' if check.able else 'no ':<4} {check.name:<18} {check.says}")
