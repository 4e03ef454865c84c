# SPDX-License-Identifier: MIT
"""Helpers that do what no helper should: each gives a result in time, and is gone afterwards."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from boxproof.grounds.command import Command
from boxproof.grounds.launch import Launch, Launcher
from tests.grounds.conftest import ENV, run

Sh = Callable[[str], Launch]

DAEMON = """exec $PYTHON -I -S -c '
import os
read_end, write_end = os.pipe()
if os.fork():
    os.close(write_end)
    os.read(read_end, 1)
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
os.closerange(0, 3)
os.execv("/bin/sleep", ["sleep", "1000"])
'"""
CHAIN = """exec $PYTHON -I -S -c '
import os
while True:
    if os.fork():
        os._exit(0)
'"""
ZOMBIES = """exec $PYTHON -I -S -c '
import os
for _ in range(9):
    child = os.fork() or os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
'"""
NO_STREAMS = """exec $PYTHON -I -S -c '
import os, time
os.closerange(0, 3)
time.sleep(1000)
'"""


def test_it_prints_nothing(sh: Sh) -> None:
    done = sh(":")
    assert (done.status, done.stdout, done.stderr) == (0, b"", b"")


def test_it_prints_a_gibibyte(sh: Sh) -> None:
    done = sh("exec head -c 1073741824 /dev/zero")
    assert (done.status, len(done.stdout), done.dropped) == (0, 1 << 20, (1 << 30) - (1 << 20))


@pytest.mark.parametrize(
    "script",
    ("while :; do :; done", "trap '' TERM INT HUP QUIT; while :; do :; done", "kill -STOP $$", NO_STREAMS),
    ids=["busy", "ignores-signals", "stopped", "closed-streams"],
)
def test_it_never_ends(launcher: Launcher, script: str) -> None:
    done = run(launcher, script, deadline=0.5)
    assert (done.timed_out, done.signal, done.left) == (True, signal.SIGKILL, ())
    assert 0.5 <= done.seconds < 1.0


def test_it_never_ends_and_neither_do_its_children(launcher: Launcher) -> None:
    done = run(launcher, "sleep 1000 & setsid sleep 1000 & yes & wait", deadline=0.5)
    assert (done.timed_out, done.left) == (True, ())


def test_a_child_holds_its_pipes(sh: Sh) -> None:
    done = sh("sleep 1000 & echo done")
    assert (done.status, done.stdout, len(done.left)) == (0, b"done\n", 1)
    assert done.seconds < 10


def test_a_child_fills_its_pipes(sh: Sh) -> None:
    done = sh("yes & exit 3")
    assert (done.status, len(done.left)) == (3, 1)


def test_a_daemon_in_a_session_of_its_own(sh: Sh) -> None:
    done = sh(DAEMON)
    assert done.status == 0
    assert [left.split(" ", 1)[1] for left in done.left] == ["sleep 1000"]


def test_a_child_that_ends_within_the_grace_was_not_left(launcher: Launcher) -> None:
    assert run(launcher, "sleep 0.2 & exit 0", grace=10.0).left == ()


def test_dead_children_were_not_left(sh: Sh) -> None:
    done = sh(ZOMBIES)
    assert (done.status, done.stderr, done.left) == (0, b"", ())


def test_a_chain_of_forks_is_caught(sh: Sh) -> None:
    assert sh(CHAIN).status == 0


def test_hundreds_of_children_are_named_and_killed(sh: Sh) -> None:
    assert len(sh("i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i + 1)); done").left) == 200


def test_it_kills_its_group(launcher: Launcher) -> None:
    assert run(launcher, "kill -9 0").signal == signal.SIGKILL
    assert run(launcher, "exit 5").status == 5


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's helper can")
def test_another_user_cannot_kill_its_parent(launcher: Launcher) -> None:
    assert run(launcher, "kill -9 $PPID").status == 1


def test_its_output_is_not_waited_for(launcher: Launcher) -> None:
    argv = ["/bin/sh", "-c", "exec >&- 2>&-; exit 9"]
    assert launcher.launch(Command(argv, env=ENV, cwd="/", deadline=10)).status == 9
