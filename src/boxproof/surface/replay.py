# SPDX-License-Identifier: MIT
"""The one command that runs a failing case again."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from boxproof.surface.options import Options


def replay_command(program: str, case_file: Path, helper: str, options: Options) -> str:
    """Return a command line for the folder in which the suite was started.

    Args:
        program: ``pytest`` in a checkout, ``boxproof run`` from the wheel.
        case_file: the written case.
        helper: as ``--helper`` took it.
        options: what else the user gave.
    """
    words = [*program.split(), f"--case={shown(case_file)}", f"--helper={helper}"]
    words += [f"--adapter={options.adapter}"] if options.adapter else []
    words += [f"--helper-env={name}={value}" for name, value in options.env.items()]
    words += ["--run-as=root"] if options.as_root else []
    words += [f"--repeat={options.repeat}"] if options.repeat > 1 else []
    words += [f"--profile={options.profile.name}"] if options.profile.name != "recommended" else []
    return shlex.join(words)


def shown(path: Path) -> str:
    """Return a path relative to the working folder where it lies below it."""
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
