# SPDX-License-Identifier: MIT
"""``boxproof simulate``: any command on a host that lacks something, to see what a customer saw."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

import click

from boxproof.conditions.registry import find_condition
from boxproof.errors import BoxproofError
from boxproof.grounds.accounts import LaunchUser, launch_user
from boxproof.grounds.certify import why_not_in_force
from boxproof.grounds.launch import Launcher
from boxproof.grounds.rehearse import rehearse
from boxproof.grounds.simulated import Simulated
from boxproof.grounds.simulated import simulate as make_ready

CANNOT: Final = 125
"""The exit status where the condition is not in force: no status of a shell or a helper."""


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("condition")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, required=True)
def simulate(condition: str, command: tuple[str, ...]) -> None:
    """Run COMMAND as yourself where the host lacks CONDITION; put several together with +.

    The status is the command's; 125 where the condition cannot be brought about here.
    """
    with tempfile.TemporaryDirectory(prefix="boxproof-simulate-") as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - a bwrap in it is executed as the launch user
        try:
            ready = _ready(condition, Path(folder))
            status = rehearse(command, ready.request, {**os.environ, **ready.env})
        except (BoxproofError, OSError) as error:
            click.echo(f"boxproof: {error}", err=True)
            status = CANNOT
    sys.exit(status)


def _ready(names: str, folder: Path) -> Simulated:
    """Make the condition ready and see that it is in force.

    Raises:
        BoxproofError: where it is not.
    """
    user = _caller()
    env = {"TMPDIR": tempfile.gettempdir(), "PATH": os.environ.get("PATH", os.defpath)}
    ready = make_ready(find_condition(names), base=folder, cwd=os.getcwd(), user=user, env=env)
    with Launcher(user) as launcher:
        why_not = why_not_in_force(launcher, ready)
    if why_not:
        raise BoxproofError(f"'{names}' is not in force here", cause=why_not, cure="try `boxproof doctor`")
    return ready


def _caller() -> LaunchUser:
    """Return the caller: a command is simulated as whoever asks, unlike a case."""
    return launch_user("root" if os.geteuid() == 0 else "user")
