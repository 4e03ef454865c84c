# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from boxproof.errors import HelperError
from boxproof.helpers import mxc
from boxproof.helpers.base import CannotExpressError, Helper
from boxproof.helpers.mxc import WITHOUT_NETWORK, Mxc
from boxproof.model.capability import Capability
from tests.helpers.conftest import Script, places_of, policy_of

STANDIN = Path(__file__).parent / "standins" / "lxc_exec.py"


def config(*rules: str, command: tuple[str, ...] = ("/bin/sh",), **settings: str) -> dict[str, Any]:
    found = Mxc().invocation(Helper("m", "/v/lxc-exec"), policy_of(*rules, **settings), command, places_of())
    assert found.argv == ("/v/lxc-exec", "--config", "/files/config.json")
    said: dict[str, Any] = json.loads(found.files["config.json"])
    return said


def test_rules_go_into_lists_as_they_are_spelled() -> None:
    said = config("rw /f//ws", "ro /f/../f/x", "deny /f/a", "rw /f/b", reads="listed")
    assert said["filesystem"] == {
        "readonlyPaths": ["/f/../f/x"],
        "readwritePaths": ["/f//ws", "/f/b"],
        "deniedPaths": ["/f/a"],
    }
    assert said["network"] == {"egress": {"default": "deny"}}
    assert said["process"]["cwd"] == "/f/ws"


def test_reads_of_everything_are_a_read_only_root() -> None:
    assert config("rw /f/ws")["filesystem"]["readonlyPaths"] == ["/"]


def test_a_writable_temp_folder_is_the_launchs_own() -> None:
    said = config("rw /f/ws", tmp="writable")
    assert said["filesystem"]["readwritePaths"] == ["/f/ws", "/scratch"]
    assert "TMPDIR=/scratch" in said["process"]["env"]


def test_the_command_is_one_shell_string() -> None:
    command = ("/bin/sh", "-c", "echo 'a'\n\"$1\"", "x", "/f/a b")
    assert shlex.split(config("rw /f/ws", command=command)["process"]["commandLine"]) == list(command)


@pytest.mark.parametrize(("rule", "command"), ((r"ro /f/\xff", ("/bin/sh",)), ("rw /f/ws", ("/bin/sh", "\udcff"))))
def test_names_that_are_not_utf8_cannot_be_said(rule: str, command: tuple[str, ...]) -> None:
    with pytest.raises(CannotExpressError, match="UTF-8"):
        config(rule, command=command)


def test_a_network_that_this_host_cannot_give_is_not_claimed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    claims = Mxc().claims(Helper("m", "/m"))
    assert claims - Mxc().claims(Helper("m", "/m", surface=WITHOUT_NETWORK)) == {Capability.NETWORK_SWITCH}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not mxc._has_network()


def standin(tmp_path: Path, script: Script) -> Path:
    lines = f'exec {shlex.quote(sys.executable)} -IS {shlex.quote(str(STANDIN))} "$@"'
    (tmp_path / "bin").mkdir()
    (tmp_path / "package.json").write_text('{"name": "@microsoft/mxc-sdk", "version": "7.8"}')
    return script(lines).rename(tmp_path / "bin" / "lxc-exec")


def test_the_binary_has_to_take_the_contract(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = standin(tmp_path, script)
    found = Mxc().describe(binary, {"K": "v"})
    assert (found.name, found.version, found.path, found.env) == ("mxc-7.8", "7.8", str(binary), {"K": "v"})
    monkeypatch.setattr(mxc, "CONTRACT", "2.0.0")
    with pytest.raises(HelperError, match=r"does not take contract 2\.0\.0"):
        Mxc().describe(binary, {})


def test_another_binary_is_refused(script: Script) -> None:
    with pytest.raises(HelperError, match="is no lxc-exec"):
        Mxc().describe(script("exit 0"), {})


def test_it_is_recognised_by_its_name() -> None:
    assert Mxc().recognises(Path("/x/lxc-exec"))
    assert not Mxc().recognises(Path("/x/lxc"))
