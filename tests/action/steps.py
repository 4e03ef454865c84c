# SPDX-License-Identifier: MIT
"""A composite action's steps, run as the runner of GitHub Actions runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from attrs import field, frozen

from tests.plugin.place import SECONDS

CHECKOUT: Final = Path(__file__).parents[2]
_INPUT: Final = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")
_OUTPUT: Final = re.compile(r"^(\w+)<<(\w+)\n(.*?)\n\2\n", re.MULTILINE | re.DOTALL)


@frozen
class Done:
    """What a step left.

    Args:
        status: of its shell.
        log: both streams.
        summary: what it appended to the summary.
        outputs: by name.
    """

    status: int
    log: str
    summary: str
    outputs: Mapping[str, str]


@frozen
class Runner:
    """A machine on which jobs run, one folder for all that belongs to it.

    Args:
        root: that folder.
    """

    root: Path
    temp: Path = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make the folders that every job finds."""
        object.__setattr__(self, "temp", self.root / "temp")
        self.temp.mkdir()

    def run(self, step: Mapping[str, Any], inputs: Mapping[str, str], workspace: Path) -> Done:
        """Run one step with the action's inputs in a workspace."""
        files = {name: workspace.parent / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("", "utf-8")
        given = {name: filled(value, inputs) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=workspace,
            env={**self._environment(workspace), **{name: str(path) for name, path in files.items()}, **given},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=10 * SECONDS,
            check=False,
        )
        summary, outputs = (file.read_text("utf-8") for file in files.values())
        return Done(done.returncode, done.stdout, summary, {name: value for name, _, value in _OUTPUT.findall(outputs)})

    def _environment(self, workspace: Path) -> dict[str, str]:
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(CHECKOUT),
            "GITHUB_WORKSPACE": str(workspace),
            "HOME": os.environ.get("HOME", "/"),
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "RUNNER_TEMP": str(self.temp),
            # no network: what Boxproof and its build need is lent by the environment of the tests
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_NO_DEPS": "1",
            "PIP_NO_INDEX": "1",
            "PYTHONPATH": sysconfig.get_path("purelib"),
        }


def load(path: Path) -> Any:  # noqa: ANN401 - whatever the file holds
    """Return what a YAML file holds."""
    return yaml.safe_load(path.read_text("utf-8"))


def inputs_of(action: Mapping[str, Any], **given: str) -> dict[str, str]:
    """Return the inputs of a job that gives some of them.

    Raises:
        AssertionError: for one that the action does not know, or one that it requires and that is not given.
    """
    known = action["inputs"]
    assert set(given) <= set(known)
    assert all(name in given for name, one in known.items() if one.get("required"))
    return {name: given.get(name, str(one.get("default", ""))) for name, one in known.items()}


def filled(text: str, inputs: Mapping[str, str]) -> str:
    """Return text with the inputs in it."""
    return _INPUT.sub(lambda found: inputs[found[1]], text)


def scripts(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the shell of the steps that have some."""
    return [step["run"] for step in steps if "run" in step]
