# SPDX-License-Identifier: MIT
"""A shell that stays from one control to the next, and is neither a helper nor in a helper's way."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from boxproof.conditions.registry import find_condition
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.command import Command
from boxproof.grounds.launch import Launch, Launcher, LauncherLost
from tests.grounds.conftest import DEADLINE, ENV, run
from tests.grounds.test_loss import ends

SCRIPT = "twice() { echo $(($1 * 2)); }\n"


def ask(launcher: Launcher, command: str, env: Mapping[str, str] = ENV, seconds: float = DEADLINE) -> Launch:
    return launcher.ask(command, script=SCRIPT, env=env, seconds=seconds)


def pid_of(launcher: Launcher) -> int:
    return int(ask(launcher, "echo $$").stdout)


def test_it_has_read_the_script_and_says_how_a_command_ended(launcher: Launcher) -> None:
    seen = ask(launcher, "(twice 21; exit 3)")
    assert (seen.status, seen.stdout, seen.timed_out, seen.exec_error) == (3, b"42\n", False, "")


def test_it_is_the_launch_user_and_sees_what_launches_see(launcher: Launcher, user: LaunchUser) -> None:
    looks = "id -u; id -g; umask; readlink /proc/self/ns/mnt; grep -E '^(Cap|NoNewPrivs|Sig[IB])' /proc/self/status"
    seen = ask(launcher, looks).stdout
    assert seen == run(launcher, looks).stdout
    assert seen.startswith(f"{user.uid}\n".encode())


def test_it_stays_and_nothing_of_a_command_does(launcher: Launcher) -> None:
    first = pid_of(launcher)
    ask(launcher, "(cd /usr; left=over; kept() { :; })")
    assert ask(launcher, "echo $$ $PWD $left; command -v kept || :").stdout == f"{first} /\n".encode()


def test_bytes_of_any_kind_arrive(launcher: Launcher) -> None:
    assert ask(launcher, "printf %s 'a\udcff\nb'").stdout == b"a\xff\nb"


def test_more_than_a_pipe_holds(launcher: Launcher) -> None:
    assert len(ask(launcher, f"echo {'x' * 300_000}").stdout) == 300_001


def test_a_launch_neither_ends_it_nor_takes_it_for_a_leftover(launcher: Launcher) -> None:
    first = pid_of(launcher)
    assert run(launcher, "sleep 1000 &").left != ()
    assert run(launcher, "exit 0").left == ()
    assert pid_of(launcher) == first


def test_a_launch_under_a_condition_ends_it(launcher: Launcher) -> None:
    first = pid_of(launcher)
    condition = find_condition("no-processes").plan.request({})
    launcher.launch(Command(["/bin/true"], env=ENV, cwd="/", deadline=DEADLINE, condition=condition))
    assert not Path(f"/proc/{first}").exists()
    assert pid_of(launcher) != first


def test_another_takes_the_place_of_one_that_was_killed(launcher: Launcher) -> None:
    first = pid_of(launcher)
    pidfd = os.pidfd_open(first)
    os.kill(first, signal.SIGKILL)
    assert ends(pidfd)
    os.close(pidfd)
    assert pid_of(launcher) != first


def test_another_environment_takes_another_shell(launcher: Launcher) -> None:
    first = pid_of(launcher)
    assert ask(launcher, "echo $$ $WORD", {**ENV, "WORD": "given"}).stdout != f"{first} given\n".encode()
    assert ask(launcher, "echo $WORD", {**ENV, "WORD": "given"}).stdout == b"given\n"


def test_a_command_that_ends_the_shell_has_no_status(launcher: Launcher) -> None:
    seen = ask(launcher, "echo said; exit 0")
    assert (seen.status, seen.stdout, seen.timed_out) == (None, b"said\n", False)
    assert "shell" in seen.exec_error
    assert ask(launcher, "twice 1").stdout == b"2\n"


def test_a_command_without_an_end_is_ended(launcher: Launcher) -> None:
    first = pid_of(launcher)
    seen = ask(launcher, "echo said; sleep 1000", seconds=0.2)
    assert (seen.status, seen.stdout, seen.timed_out) == (None, b"said\n", True)
    assert not Path(f"/proc/{first}").exists()
    assert ask(launcher, "twice 1").stdout == b"2\n"


def test_it_ends_with_the_launcher(user: LaunchUser) -> None:
    with Launcher(user) as launcher:
        first = pid_of(launcher)
    assert not Path(f"/proc/{first}").exists()


def test_another_launcher_has_another(own_launcher: Launcher) -> None:
    pidfd = os.pidfd_open(pid_of(own_launcher))
    with pytest.raises(LauncherLost):
        run(own_launcher, "kill -9 $PPID; sleep 1000")
    assert ends(pidfd)  # who collects it now may take a moment
    os.close(pidfd)
    with pytest.raises(LauncherLost, match="does not run"):
        ask(own_launcher, "twice 1")
    own_launcher.start()
    assert ask(own_launcher, "twice 1").stdout == b"2\n"
