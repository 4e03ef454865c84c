# SPDX-License-Identifier: MIT
"""The launcher's side runs under any interpreter of the host."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from boxproof.grounds import spawner
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.launch import Launcher
from tests.grounds.conftest import run

FOLDER = Path(spawner.__file__).parent
LISTED = "import sys; sys.path.append(sys.argv[1]); import boxproof.grounds.spawner; print(*sorted(sys.modules))"


def test_it_imports_the_standard_library_only() -> None:
    argv = [sys.executable, "-I", "-S", "-B", "-c", LISTED, str(FOLDER.parents[1])]
    loaded = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    foreign = {
        name for name in loaded if name.partition(".")[0] not in {*sys.stdlib_module_names, "boxproof", "__main__"}
    }
    assert foreign == set()


def test_its_modules_are_those_that_say_so_and_python_39_reads_them() -> None:
    argv = [sys.executable, "-I", "-S", "-B", "-c", LISTED, str(FOLDER.parents[1])]
    loaded = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    ours = {name.rpartition(".")[2] for name in loaded if name.startswith("boxproof.grounds.")}
    texts = {path.stem: path.read_text() for path in FOLDER.glob("*.py")}
    assert ours == {name for name, text in texts.items() if "Python 3.9" in text and "standard library" in text}
    for name in ours:
        ast.parse(texts[name], feature_version=(3, 9))


@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="the host has no Python of its own")
def test_the_hosts_own_python_will_do(user: LaunchUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    with Launcher(user) as launcher:
        assert run(launcher, "exit 6").status == 6
