# SPDX-License-Identifier: MIT
"""``boxproof run``: the suite from an installed package."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click
import pytest

from boxproof.surface.setup import PROGRAM, apart


def run_suite(arguments: Sequence[str]) -> int:
    """Run the suite in this process with options of pytest; return pytest's exit status."""
    os.environ[PROGRAM] = "boxproof run"
    # the plugin imports Hypothesis before pytest can rewrite the assertions of Hypothesis' own plugin, which has none
    quiet = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*apart(), *quiet, "-ra", *arguments]))


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(arguments: tuple[str, ...]) -> None:
    """Run the suite; takes the options of pytest, such as --helper=PATH."""
    sys.exit(run_suite(arguments))
