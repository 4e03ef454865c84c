# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

MAIN = "from boxproof.cli import main; main()"
VERSION = "import ctypes; print(ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1))"


def simulate(condition: str, *command: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    words: Sequence[str] = [sys.executable, "-c", MAIN, "simulate", condition, "--", *command]
    return subprocess.run(words, input=stdin, capture_output=True, timeout=60, check=False)


def test_the_command_runs_with_the_callers_streams_and_its_own_status() -> None:
    done = simulate("no-landlock", "/bin/sh", "-c", "cat; echo said >&2; exit 42", stdin=b"given\n")
    assert (done.returncode, done.stdout, done.stderr) == (42, b"given\n", b"said\n")


def test_death_by_signal_is_128_and_the_number() -> None:
    assert simulate("no-landlock", "/bin/sh", "-c", "kill -TERM $$").returncode == 128 + 15


def test_the_command_is_under_the_condition() -> None:
    assert simulate("no-landlock", sys.executable, "-c", VERSION).stdout == b"-1\n"
    assert simulate("landlock-abi-2", sys.executable, "-c", VERSION).stdout == b"2\n"


def test_a_bwrap_is_first_on_path() -> None:
    done = simulate("bwrap-exits-0", "/bin/sh", "-c", "bwrap --nonsense; echo $?")
    assert done.stdout in {b"0\n", b""}, done.stderr
    assert done.stdout or b"no bwrap" in done.stderr


@pytest.mark.parametrize(
    ("condition", "said"),
    (
        ("no-landlok", b"boxproof: there is no condition 'no-landlok'; did you mean 'no-landlock'?\n"),
        ("no-landlock+landlock-off", b"cannot be put together (both are about landlock)\n"),
    ),
)
def test_a_mistake_is_one_line_and_125(condition: str, said: bytes) -> None:
    done = simulate(condition, "/bin/true")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (125, b"", 1)
    assert done.stderr.endswith(said)


def test_a_command_that_is_not_there_is_127_and_one_line() -> None:
    done = simulate("no-landlock", "/no/such/command")
    assert (done.returncode, done.stderr) == (127, b"boxproof: /no/such/command: No such file or directory\n")


def test_nothing_is_left_in_the_temp_folder() -> None:
    before = set(os.listdir("/tmp"))  # noqa: S108 - where it would lie
    simulate("no-bwrap", "/bin/true")
    assert not {name for name in set(os.listdir("/tmp")) - before if "boxproof-simulate" in name}  # noqa: S108
