# SPDX-License-Identifier: MIT
from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from boxproof.errors import HelperError
from boxproof.helpers.base import CannotExpressError, Helper
from boxproof.helpers.gemini import MANAGER, Gemini
from boxproof.helpers.registry import find
from tests.helpers.conftest import places_of, policy_of

CLASS = """
export class LinuxSandboxManager {
    constructor(options) { this.options = options; }
    async prepareCommand(request) {
        const denied = await this.options.forbiddenPaths();
        const cleanup = () => console.log('cleaned');
        const args = ['-c', 'exec "$@"', denied.join(), request.command, ...request.args];
        return { program: '/bin/sh', args, env: { ...request.env, WORKSPACE: this.options.workspace }, cleanup };
    }
}
"""
node = pytest.mark.skipif(not shutil.which("node"), reason="node is not on PATH")


def said(*rules: str, network: bool = False, **policy: str) -> dict[str, Any]:
    asked = evolve(policy_of(*rules, **policy), network=network)
    found = Gemini().invocation(Helper("g", "/p/m.js"), asked, ["/bin/sh", "-c", "x"], places_of())
    start = ("/usr/bin/env", "node", "/files/gemini.mjs", "/p/m.js", "/files/request.json")
    assert found.argv == (*start, "/bin/sh", "-c", "x")
    request: dict[str, Any] = json.loads(found.files["request.json"])
    return request


def test_rules_go_into_permissions_as_they_are_spelled() -> None:
    assert said("rw /f//ws", "rw /f/ws", "ro /f/x", "deny /f/a", tmp="writable") == {
        "options": {"workspace": "/f/ws", "forbiddenPaths": ["/f/a"], "modeConfig": {"readonly": False}},
        "request": {
            "cwd": "/f/ws",
            "policy": {
                "networkAccess": False,
                "additionalPermissions": {"fileSystem": {"read": ["/f/x"], "write": ["/f//ws", "/f/ws", "/scratch"]}},
            },
        },
    }


def test_a_workspace_that_no_rule_makes_writable_is_read_only() -> None:
    request = said("rw /f/other", network=True)
    assert request["options"]["modeConfig"] == {"readonly": True}
    assert request["request"]["policy"]["networkAccess"]


def test_names_that_are_not_utf8_cannot_be_said() -> None:
    with pytest.raises(CannotExpressError, match="UTF-8"):
        said(r"deny /f/\xff")


@pytest.fixture
def manager(tmp_path: Path) -> Path:
    """Return a class of ours in a package like the real one's."""
    about = {"name": "@google/gemini-cli-core", "version": "7.8.9", "type": "module"}
    (tmp_path / "package.json").write_text(json.dumps(about))
    path = tmp_path / "dist" / MANAGER
    path.parent.mkdir()
    path.write_text(CLASS)
    path.chmod(0o755)
    return path


@node
def test_a_class_is_found_with_the_version_of_its_package(manager: Path) -> None:
    adapter, helper = find(str(manager), None, {})
    assert (adapter.name, helper.name, helper.version) == ("gemini", "gemini-7.8.9", "7.8.9")


@node
def test_a_module_without_the_class_is_told(manager: Path) -> None:
    manager.write_text("export const x = 1;\n")
    with pytest.raises(HelperError, match=rf"is no {MANAGER}"):
        find(str(manager), None, {})


@pytest.fixture
def start(manager: Path, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Return a starter of the driver; what it leaves is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def go(*command: str) -> subprocess.Popen[bytes]:
        asked, places = policy_of("deny /f/a", cwd=str(tmp_path)), evolve(places_of(), files=str(tmp_path))
        found = Gemini().invocation(Helper("g", str(manager)), asked, command, places)
        for name, content in found.files.items():
            (tmp_path / name).write_bytes(content)
        started.append(subprocess.Popen(found.argv, stdout=subprocess.PIPE, start_new_session=True))
        return started[-1]

    yield go
    for process in started:
        with process, contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


@node
def test_the_driver_starts_what_the_class_returns_and_keeps_its_status(
    start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    process = start("/bin/sh", "-c", 'echo "$0 $WORKSPACE"; exit 42', "zero")
    assert process.communicate(timeout=60)[0].decode() == f"zero {tmp_path}\ncleaned\n"
    assert process.returncode == 42


@node
def test_what_the_class_throws_is_one_line(
    start: Callable[..., subprocess.Popen[bytes]], manager: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    manager.write_text(CLASS.replace("const denied =", "throw new Error('no words for it');"))
    assert start("/bin/true").wait(timeout=60) == 1
    assert capfd.readouterr().err == "gemini: no words for it\n"


@node
def test_the_driver_passes_a_signal_on(start: Callable[..., subprocess.Popen[bytes]]) -> None:
    process = start("/bin/sh", "-c", "echo ready; exec sleep 1000")
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    process.terminate()
    assert process.wait(timeout=60) == 128 + signal.SIGTERM
    assert process.stdout.read() == b"cleaned\n"
