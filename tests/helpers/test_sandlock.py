# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from boxproof.errors import HelperError
from boxproof.helpers.base import CannotExpressError, Helper, Lead
from boxproof.helpers.sandlock import Sandlock
from tests.helpers.conftest import Script, places_of, policy_of

PACKAGE = """
import subprocess
__version__ = "7.8"
class Sandbox:
    def __init__(self, fs_readable, fs_writable, fs_denied, net_allow, cwd):
        if fs_denied: raise ValueError("no\\tdenies")
    def run_interactive(self, command):
        return subprocess.run(command).returncode
"""


def arguments(*rules: str, network: bool = False, **policy: str) -> dict[str, Any]:
    asked = evolve(policy_of(*rules, **policy), network=network)
    found = Sandlock().invocation(Helper("s", "/p"), asked, ["/bin/sh", "-c", "x"], places_of())
    assert found.argv == ("/p", "/files/driver.py", "/files/policy.json", "/bin/sh", "-c", "x")
    said: dict[str, Any] = json.loads(found.files["policy.json"])
    return said


def test_rules_go_into_lists_as_they_are_spelled() -> None:
    assert arguments("rw /f//ws", "ro /f/x", "deny /f/a") == {
        "fs_readable": ["/", "/f/x"],
        "fs_writable": ["/dev/null", "/dev/zero", "/f//ws"],
        "fs_denied": ["/f/a"],
        "net_allow": [],
        "cwd": "/f/ws",
    }


def test_listed_reads_are_the_system_and_the_rules() -> None:
    said = arguments("ro /f/x", reads="listed", tmp="writable", network=True)
    assert "/usr" in said["fs_readable"]
    assert "/" not in said["fs_readable"]
    assert said["fs_readable"][-1] == "/f/x"
    assert said["fs_writable"] == ["/dev/null", "/dev/zero", "/scratch"]
    assert said["net_allow"]


@pytest.mark.parametrize("rule", ("ro /f/ws", "ro /f/ws/x", "ro /f/alias"))
def test_read_only_inside_writable_cannot_be_said(rule: str) -> None:
    places = places_of(alias=Lead("folder", "/f/ws/in", "/f"))
    with pytest.raises(CannotExpressError, match="read-only"):
        Sandlock().invocation(Helper("s", "/p"), policy_of("rw /f/ws", rule), ["/bin/sh"], places)


def test_names_that_are_not_utf8_cannot_be_said() -> None:
    with pytest.raises(CannotExpressError, match="UTF-8"):
        arguments(r"deny /f/\xff")


@pytest.fixture
def interpreter(tmp_path: Path, script: Script) -> Path:
    """Return a Python that finds a package ``sandlock`` of ours."""
    (tmp_path / "sandlock.py").write_text(PACKAGE)
    return script(f'PYTHONPATH={shlex.quote(str(tmp_path))} exec {shlex.quote(sys.executable)} "$@"', "sandlock")


def test_the_helper_is_an_interpreter_with_the_package(interpreter: Path) -> None:
    found = Sandlock().describe(interpreter, {"K": "v"})
    assert (found.name, found.version, found.env) == ("sandlock-7.8", "7.8", {"K": "v"})
    assert Sandlock().recognises(interpreter)
    with pytest.raises(HelperError, match="is no Python with sandlock"):
        Sandlock().describe(Path("/bin/sh"), {})


@pytest.mark.parametrize(
    ("rules", "status", "said"),
    (
        (("rw /f/ws",), 3, "ran\n"),
        (("deny /f/x",), 1, "sandlock: ValueError: no\tdenies\n"),
    ),
)
def test_the_module_runs_the_command_or_says_why_not(
    interpreter: Path, tmp_path: Path, rules: tuple[str, ...], status: int, said: str
) -> None:
    places = evolve(places_of(), files=str(tmp_path))
    command = ["/bin/sh", "-c", "echo ran; exit 3"]
    found = Sandlock().invocation(Sandlock().describe(interpreter, {}), policy_of(*rules), command, places)
    for name, content in found.files.items():
        (tmp_path / name).write_bytes(content)
    done = subprocess.run(found.argv, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout + done.stderr) == (status, said)
