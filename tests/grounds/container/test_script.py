# SPDX-License-Identifier: MIT
"""Any argument and variable reaches the helper as it is."""

from __future__ import annotations

import os
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxproof.errors import GroundError
from boxproof.grounds.command import Command
from boxproof.grounds.container.script import exec_error, launch_script, quoted

WORDS = st.binary(max_size=40).filter(lambda word: b"\0" not in word).map(os.fsdecode)


@given(WORDS)
def test_a_quoted_word_is_one_word(word: str) -> None:
    done = subprocess.run(["/bin/sh", "-c", f"printf %s {quoted(word)}"], capture_output=True, check=True)
    assert os.fsdecode(done.stdout) == word


@pytest.mark.parametrize("null_fds", ((), (4,), (4, 12)))
def test_what_the_shell_executes(null_fds: tuple[int, ...]) -> None:
    script = launch_script(
        Command(["/bin/sh", "-c", 'echo "$A"; pwd'], 1.0, env={"A": "it's\n$B"}, cwd="/usr", null_fds=null_fds)
    )
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=True)
    assert done.stdout == b"it's\n$B\n/usr\n"


def test_a_command_that_env_would_misread_is_refused() -> None:
    with pytest.raises(GroundError, match="cannot be started"):
        launch_script(Command(["/a=b"], 1.0))


@pytest.mark.parametrize(
    ("status", "stderr", "error"),
    (
        (127, b"env: '/x': No such file or directory\n", "execve: ENOENT"),
        (126, b"env: \xe2\x80\x98/x\xe2\x80\x99: Permission denied\n", "execve: EACCES"),
        (126, b"env: can't execute '/x': Exec format error\n", "execve: ENOEXEC"),
        (1, b"env: '/x': No such file or directory\n", ""),
        (127, b"helper: no such command\n", ""),
        (127, b"env: '/x': No such file or directory\nmore\n", ""),
    ),
)
def test_only_env_tells_that_nothing_was_executed(status: int, stderr: bytes, error: str) -> None:
    assert exec_error(status, stderr) == error
