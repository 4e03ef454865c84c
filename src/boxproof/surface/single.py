# SPDX-License-Identifier: MIT
"""The options of commands that run a single case themselves, and the engine that they ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from boxproof.model.case import Case
from boxproof.model.levels import PROFILES
from boxproof.surface.engine import Engine
from boxproof.surface.options import Options, environment, keeps_root
from boxproof.surface.setup import make_engine

_Command = TypeVar("_Command", bound=Callable[..., Any])


def launch_options(command: _Command) -> _Command:
    """Declare how and where a helper is started, with the names that the suite itself has for it."""
    options = (
        click.option("--adapter", help="How to drive it: a name or a TOML file."),
        click.option(
            "--helper-env", multiple=True, metavar="K=V", help="Extra environment for the helper; repeatable."
        ),
        click.option(
            "--ground", help="Where: host, layout:NAME or container:NAME.  [default: that of the case's layout]"
        ),
        click.option(
            "--run-as", type=click.Choice(("user", "root")), default="user", show_default=True, help="Who it runs as."
        ),
        click.option("--launch-timeout", type=click.FloatRange(min=0), default=0.0, help="Seconds for one launch."),
        click.option("--farm-root", type=click.Path(path_type=Path), help="Where the farm is built."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def engine_for(helper: str, case: Case, given: Mapping[str, Any], program: str) -> Engine:
    """Return an engine for one helper in the one place that is asked for, found and checked as the suite does it.

    Args:
        helper: as ``--helper`` takes it.
        case: what is to be run, which may be about a layout.
        given: what click made of `launch_options`.
        program: what the user typed, for replay lines.

    Raises:
        BoxproofError: as `make_engine` does, and for an option that makes no sense.
    """
    options = Options(
        helpers=(helper,),
        adapter=given["adapter"] or "",
        env=environment(list(given["helper_env"])),
        profile=PROFILES["all"],
        strict=False,
        as_root=keeps_root(given["run_as"]),
        cases=(),
        repeat=1,
        timeout=given["launch_timeout"],
        reports=(),
        cases_out=Path(),
        farm_root=given["farm_root"].absolute() if given["farm_root"] else None,
        grounds=(given["ground"] or (f"layout:{case.layout}" if case.layout else "host"),),
    )
    return make_engine(options, program)
