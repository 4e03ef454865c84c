# SPDX-License-Identifier: MIT
"""The installed wheel: it carries the suite, and runs it from any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
from attrs import frozen

from tests.plugin.place import SECONDS, Place

CHECKOUT = Path(__file__).parents[2]
SPY = """
import json, sys

def pytest_unconfigure():
    names = ("boxproof", "conformance.test_start", "fixtures.build")
    with open("modules.json", "w") as file:
        json.dump({name: sys.modules[name].__file__ for name in names}, file)
"""


@frozen
class Installed:
    """The wheel in a folder of its own, and another folder to run it in."""

    site: Path
    elsewhere: Path

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run the installed ``boxproof``."""
        own = {"PYTHONPATH": f"{self.site}:{self.elsewhere}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **env}
        return subprocess.run(
            [sys.executable, self.site / "bin/boxproof", *arguments],
            cwd=self.elsewhere,
            env={**os.environ, **own},
            capture_output=True,
            text=True,
            timeout=4 * SECONDS,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the wheel and install it, without the network."""
    missing = [name for name in ("hatch_vcs", "hatchling", "pip") if find_spec(name) is None]
    if missing:
        pytest.skip(f"no {' and no '.join(missing)} at hand to build and install the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    _must([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)])
    (wheel,) = folder.glob("*.whl")
    site, elsewhere = folder / "site", folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "spy.py").write_text(SPY, encoding="utf-8")
    _must([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(site), str(wheel)])
    return Installed(site, elsewhere)


def _must(command: list[str]) -> None:
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, timeout=4 * SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _report(installed: Installed) -> Mapping[str, object]:
    report: dict[str, object] = json.loads((installed.elsewhere / "run.json").read_text("utf-8"))
    return report


def test_it_lists_the_requirements(installed: Installed) -> None:
    done = installed.run("list", "requirements")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("START-1  MUST   With a policy whose entries are ordinary files")
    assert "MASK-2 " in done.stdout


def test_it_judges_the_reference(installed: Installed, place: Place) -> None:
    words = ["--helper=reference", "-k", "START-1", "--report=run.json", "-p", "spy", f"--farm-root={place.farms}"]
    done = installed.run("run", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    report = _report(installed)
    results = report["results"]
    assert isinstance(results, list)
    assert len(results) > 1
    assert {row["verdict"] for row in results} == {"pass"}
    modules = json.loads((installed.elsewhere / "modules.json").read_text("utf-8"))
    assert all(path.startswith(f"{installed.site}/") for path in modules.values())
    assert not list(installed.site.rglob(".pytest_cache"))


@pytest.mark.parametrize(
    "words",
    (
        ["--helper=./standin", "--report=run.json"],
        ["--helper", "./standin", "--report", "run.json"],
        ["--helper", "./standin", "--cases-out", ".", "--report=run.json"],
    ),
    ids=["joined", "apart", "folder"],
)
def test_an_option_is_no_place_to_look_for_tests(installed: Installed, place: Place, words: list[str]) -> None:
    standin = installed.elsewhere / "standin"
    standin.write_text('#!/bin/sh\n[ "$1" = --version ] && exec echo bubblewrap 1.0\nexit 9\n', encoding="utf-8")
    standin.chmod(0o755)
    (installed.elsewhere / "run.json").write_text("old", encoding="utf-8")
    extra = ["--adapter=bwrap", "--run-as=root"] if os.geteuid() == 0 else ["--adapter=bwrap"]
    done = installed.run(
        "run", *words, *extra, "-k", "START-1[empty-policy] or CONF-1", f"--farm-root={place.farms}", "-q"
    )
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    assert _report(installed)["results"]


def test_a_failure_is_replayed_by_the_command_that_was_typed(installed: Installed, place: Place) -> None:
    words = [
        "--adapter=reference",
        "-k",
        "START-1 and workspace",
        "-x",
        "--cases-out=out",
        f"--farm-root={place.farms}",
    ]
    done = installed.run("run", "--helper=/bin/false", *words)
    assert done.returncode in {1, 2}
    assert "\nreplay: boxproof run --case=out/start-1-" in done.stdout
    (path,) = (installed.elsewhere / "out").glob("start-1-*/case.toml")
    done = installed.run("run", f"--case={path}", "--helper=reference", f"--farm-root={place.farms}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "reference: 1 pass" in done.stdout


@pytest.mark.parametrize("option", ("--helper=/does/not/exist", "--adapter=none", "--repeat=0"))
def test_a_mistake_is_one_line(installed: Installed, option: str) -> None:
    done = installed.run("run", option)
    assert (done.returncode, done.stdout) == (4, "")
    assert len(done.stderr.split("\n")) <= 3
    assert "Traceback" not in done.stderr


def test_its_help_is_that_of_the_options(installed: Installed) -> None:
    done = installed.run("run", "--help")
    assert done.returncode == 0
    assert all(option in done.stdout for option in ("--helper=", "--adapter=", "--profile=", "--cases-out="))
