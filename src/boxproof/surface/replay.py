# SPDX-License-Identifier: MIT
"""The one command that runs a failing case again."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from boxproof.grounds.place import HOST, Place
from boxproof.surface.options import SECRET, Options


def replay_command(program: str, case_file: Path, helper: str, options: Options, place: Place = HOST) -> str:
    """Return a command line for the folder in which the suite was started.

    Args:
        program: ``pytest`` in a checkout, ``boxproof run`` from the wheel.
        case_file: the written case.
        helper: as ``--helper`` took it.
        options: what else the user gave.
        place: where it was run.
    """
    words = [*program.split(), f"--case={shown(case_file)}", f"--helper={helper}"]
    words += [f"--adapter={options.adapter}"] if options.adapter else []
    words += [f"--ground={place.given}"] if place is not HOST else []
    words += ["--run-as=root"] if options.as_root else []
    words += ["--strict"] if options.strict else []
    words += [f"--launch-timeout={options.timeout:g}"] if options.timeout else []
    words += [f"--farm-root={options.farm_root}"] if options.farm_root else []
    words += [f"--repeat={options.repeat}"] if options.repeat > 1 else []
    words += [f"--profile={options.profile.name}"] if options.profile.name != "recommended" else []
    return " ".join([shlex.join(words), *(_variable(name, value) for name, value in options.env.items())])


def _variable(name: str, value: str) -> str:
    """Return the option for one variable; a secret's value is left to the shell."""
    return f'--helper-env={name}="${name}"' if SECRET.search(name) else shlex.join([f"--helper-env={name}={value}"])


def shown(path: Path) -> str:
    """Return a path relative to the working folder where it lies below it."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
