# SPDX-License-Identifier: MIT
"""``boxproof run``: the suite from an installed package."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click
import pytest

from boxproof.surface.setup import PROGRAM, suite_root


def run_suite(arguments: Sequence[str]) -> int:
    """Run the suite in this process with options of pytest; return pytest's exit status."""
    os.environ[PROGRAM] = "boxproof run"
    # without -c pytest would take the settings of whatever project the environment lies in; the plugin is named here,
    # so that its options are known wherever the suite lies, and the suite's conftest would only name it again
    plugins = ["-p", "no:cacheprovider", "-p", "boxproof.plugin", "--noconftest"]
    # the plugin imports Hypothesis before pytest can rewrite the assertions of Hypothesis' own plugin, which has none
    plugins += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main(["-c", os.devnull, f"--rootdir={suite_root()}", *plugins, "-ra", *arguments]))


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []}, add_help_option=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(arguments: tuple[str, ...]) -> None:
    """Run the suite; takes the options of pytest, such as --helper=PATH."""
    sys.exit(run_suite(arguments))
