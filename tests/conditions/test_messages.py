# SPDX-License-Identifier: MIT
"""The page of messages, held against the bwrap of this host where it is of the release that the page names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxproof.conditions.registry import conditions, find_condition
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.command import Command
from boxproof.grounds.launch import Launcher

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "field-messages.md"
_ROW = re.compile(r"^\| `?(?P<message>[^|`]*)`?[^|]* \| [^|]* \| (?P<conditions>[^|]*) \|$", re.MULTILINE)
COMMAND = ("--ro-bind", "/", "/", "--unshare-all", "--dev", "/dev", "--proc", "/proc", "true")


def rows(section: str) -> Iterator[tuple[str, str]]:
    text = PAGE.read_text("utf-8").partition(f"## {section}")[2].partition("\n## ")[0]
    for found in _ROW.finditer(text):
        for name in re.findall(r"`([^`]+)`", found["conditions"]):
            yield name, found["message"]


def version() -> str:
    found = shutil.which("bwrap", path="/usr/bin")
    return (
        subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.strip() if found else ""
    )


def test_every_condition_of_the_page_is_one() -> None:
    named = {name for section in ("bubblewrap", "codex", "cursorsandbox") for name, _ in rows(section)}
    assert len(named) > 20
    assert named <= conditions().keys()


@pytest.mark.skipif(version() != "bubblewrap 0.8.0", reason="the page is about bubblewrap 0.8.0")
@pytest.mark.parametrize(("name", "message"), tuple(rows("bubblewrap")))
def test_bubblewrap_says_it(name: str, message: str) -> None:
    tmp = tempfile.gettempdir()
    with Launcher(launch_user("user")) as launcher:
        launch = launcher.launch(
            Command(
                ["/usr/bin/bwrap", *COMMAND],
                env={"PATH": "/usr/bin:/bin"},
                cwd="/",
                deadline=30,
                condition=find_condition(name).plan.request({"tmp": tmp}),
            )
        )
    assert message in launch.stderr.decode()
    assert (launch.status, os.path.isdir(tmp)) == (1, True)
