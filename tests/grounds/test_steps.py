# SPDX-License-Identifier: MIT
"""Calls of what is started: counted, and a signal to the helper at the one that was asked for."""

from __future__ import annotations

import signal

import pytest

from boxproof.grounds.command import Command
from boxproof.grounds.given import Attendance
from boxproof.grounds.launch import Launch, Launcher
from boxproof.grounds.steps import counted_calls, moments, strike_at
from boxproof.grounds.wire import JSON
from tests.grounds.conftest import DEADLINE, ENV

KILL = signal.SIGKILL.value
LINGERS = ["/bin/sh", "-c", "/bin/sleep 60 & echo $!; wait"]
ENDS = ["/bin/sh", "-c", "/bin/true; exit 3"]


def launched(launcher: Launcher, argv: list[str], condition: JSON) -> Launch:
    attendance = Attendance(grace=0.1)
    return launcher.launch(
        Command(argv, env=ENV, cwd="/", deadline=DEADLINE, attendance=attendance, condition=condition)
    )


def test_calls_are_counted_and_nothing_else_happens(launcher: Launcher) -> None:
    done = launched(launcher, ENDS, counted_calls())
    assert (done.status, done.left) == (3, ())
    first, fork, last = done.calls.split()
    assert (first, last) == ("execve", "execve")
    assert fork in {"fork", "vfork", "clone"}


def test_other_launches_count_nothing(launcher: Launcher) -> None:
    assert launcher.launch(Command(ENDS, env=ENV, cwd="/", deadline=DEADLINE)).calls == ""


def test_what_has_been_made_when_the_signal_comes_lives_on(launcher: Launcher) -> None:
    done = launched(launcher, LINGERS, strike_at("execve", 2, KILL))
    assert done.signal == KILL
    assert [left.split(" ", 1)[1] for left in done.left] == ["/bin/sleep 60"]


def test_before_the_helper_is_executed_there_is_nothing_to_leave(launcher: Launcher) -> None:
    done = launched(launcher, LINGERS, strike_at("execve", 1, KILL))
    assert (done.signal, done.left, done.stdout) == (KILL, (), b"")


def test_a_call_that_does_not_come_strikes_nobody(launcher: Launcher) -> None:
    assert launched(launcher, ENDS, strike_at("execve", 3, KILL)).status == 3


@pytest.mark.parametrize(
    ("calls", "most", "wanted"),
    (
        ("", 20, ""),
        ("execve clone prctl execve ", 20, "execve 1, clone 1, prctl 1, execve 2"),
        ("execve clone execve prctl prctl ", 3, "execve 1, prctl 1, prctl 2"),
        ("prctl prctl prctl ", 1, "prctl 1, prctl 2, prctl 3"),
        ("execve clone clone clone execve ", 2, "execve 1, clone 3"),
    ),
)
def test_all_calls_that_bind_are_moments_and_some_of_the_others(calls: str, most: int, wanted: str) -> None:
    assert ", ".join(f"{name} {number}" for name, number in moments(calls, most)) == wanted
