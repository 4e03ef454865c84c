# SPDX-License-Identifier: MIT
"""A launch of a well-behaved helper: what it is given, and what comes back."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.command import Command
from boxproof.grounds.given import Attendance
from boxproof.grounds.launch import Launch, Launcher
from tests.grounds.conftest import DEADLINE, ENV

Sh = Callable[[str], Launch]


@pytest.mark.parametrize("status", (0, 1, 2, 42, 101, 125, 126, 127, 255))
def test_an_exit_status_comes_back(sh: Sh, status: int) -> None:
    done = sh(f"exit {status}")
    assert (done.status, done.signal, done.timed_out, done.left) == (status, None, False, ())


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGPIPE))
def test_a_death_by_signal_comes_back(sh: Sh, number: signal.Signals) -> None:
    done = sh(f"kill -{number.value} $$")
    assert (done.status, done.signal) == (None, number)


def test_streams_come_back_apart(sh: Sh) -> None:
    done = sh(r"printf 'out\0\377'; printf 'err' >&2")
    assert (done.stdout, done.stderr, done.dropped) == (b"out\0\xff", b"err", 0)


def test_a_mebibyte_passes_through(launcher: Launcher) -> None:
    data = os.urandom(1 << 20)
    done = launcher.launch(Command(["/bin/cat"], env=ENV, cwd="/", deadline=DEADLINE, stdin=data))
    assert (done.stdout == data, done.dropped) == (True, 0)


def test_input_that_nobody_reads_is_no_fault(launcher: Launcher) -> None:
    done = launcher.launch(Command(["/bin/true"], env=ENV, cwd="/", deadline=DEADLINE, stdin=bytes(1 << 20)))
    assert done.status == 0


@pytest.mark.parametrize("stdin", (None, b""), ids=["null", "empty-pipe"])
def test_no_input_is_the_end_of_the_file(launcher: Launcher, stdin: bytes | None) -> None:
    done = launcher.launch(Command(["/bin/cat"], env=ENV, cwd="/", deadline=DEADLINE, stdin=stdin))
    assert (done.status, done.stdout) == (0, b"")


def test_the_bound_is_kept_and_the_rest_counted(launcher: Launcher) -> None:
    argv = ["/bin/sh", "-c", "printf 0123456789; printf abc >&2"]
    done = launcher.launch(Command(argv, env=ENV, cwd="/", deadline=DEADLINE, bound=4))
    assert (done.stdout, done.stderr, done.dropped) == (b"0123", b"abc", 6)


@pytest.mark.parametrize("name", ("a b", "new\nline", "$(id)", "'\"", "-x", "\udcff\udcfe", "é"))
def test_any_bytes_are_an_argument_a_variable_and_a_folder(launcher: Launcher, place: Path, name: str) -> None:
    folder = place / name
    folder.mkdir()
    argv = ["/bin/sh", "-c", 'printf "%s|%s|%s" "$0" "$V" "${PWD##*/}"', name]
    done = launcher.launch(Command(argv, env={**ENV, "V": name}, cwd=str(folder), deadline=DEADLINE))
    assert done.stdout == b"|".join([os.fsencode(name)] * 3)


def test_the_executable_may_differ_from_the_first_argument(launcher: Launcher) -> None:
    argv = ["a-name", "-c", 'printf %s "$0"']
    done = launcher.launch(Command(argv, env=ENV, cwd="/", deadline=DEADLINE, executable="/bin/sh"))
    assert done.stdout == b"a-name"


def test_the_helper_runs_as_the_launch_user_without_capabilities(sh: Sh, user: LaunchUser) -> None:
    lines = dict(line.split(":\t", 1) for line in sh("cat /proc/self/status").stdout.decode().splitlines())
    assert lines["Uid"].split() == [str(user.uid)] * 4
    assert lines["Gid"].split() == [str(user.gid)] * 4
    assert {lines[key] for key in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert lines["Groups"].split() == [] or os.geteuid() != 0


def test_signals_and_umask_are_the_defaults(sh: Sh) -> None:
    umask, *lines = sh("umask; exec cat /proc/self/status").stdout.decode().splitlines()
    assert umask == "0022"
    assert [line.split()[1] for line in lines if line.startswith(("SigBlk", "SigIgn", "SigCgt"))] == ["0" * 16] * 3


def test_what_the_caller_ignores_the_helper_does_not(oneself: LaunchUser) -> None:
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Launcher(oneself) as launcher:
            done = launcher.launch(
                Command(["/bin/grep", "SigIgn", "/proc/self/status"], env=ENV, cwd="/", deadline=DEADLINE)
            )
    finally:
        signal.signal(signal.SIGHUP, previous)
    assert done.stdout.split()[1] == b"0" * 16


def test_it_leads_a_session_of_its_own(sh: Sh) -> None:
    pid, group, session = sh('read -r line </proc/self/stat; set -- $line; echo "$1 $5 $6"').stdout.split()
    assert pid == group == session


@pytest.mark.parametrize("null_fds", ((), *((number,) for number in range(3, 20)), (5, 4, 3), (9, 200)))
def test_no_descriptor_but_those_asked_for(launcher: Launcher, null_fds: tuple[int, ...]) -> None:
    script = 'for fd in /proc/self/fd/*; do [ -e "$fd" ] && echo "${fd##*/} $(readlink "/proc/$$/fd/${fd##*/}")"; done'
    argv = ["/bin/sh", "-c", script]
    done = launcher.launch(Command(argv, env=ENV, cwd="/", deadline=DEADLINE, null_fds=null_fds))
    found = dict(line.split() for line in done.stdout.decode().splitlines())
    assert found.keys() == {"0", "1", "2", *map(str, null_fds)}
    assert {found[str(fd)] for fd in (0, *null_fds)} == {"/dev/null"}


@pytest.mark.parametrize(
    ("mode", "content", "error"),
    (
        (0o755, "echo no first line", "execve: ENOEXEC"),
        (0o644, "#!/bin/sh\n", "execve: EACCES"),
        (0o755, "#!/does/not/exist\n", "execve: ENOENT"),
    ),
)
def test_a_helper_that_cannot_be_executed(launcher: Launcher, place: Path, mode: int, content: str, error: str) -> None:
    helper = place / "helper"
    helper.write_text(content)
    helper.chmod(mode)
    done = launcher.launch(Command([str(helper)], env=ENV, cwd="/", deadline=DEADLINE))
    assert (done.exec_error, done.status) == (error, 127)


@pytest.mark.parametrize(
    ("argv", "cwd", "error"),
    (
        (["/does/not/exist"], "/", "execve: ENOENT"),
        (["/etc"], "/", "execve: EACCES"),
        (["/bin/true", "a\0b"], "/", "execve: EINVAL"),
        (["/bin/true", "x" * (1 << 18)], "/", "execve: E2BIG"),
        (["/bin/true"], "/does/not/exist", "chdir: ENOENT"),
    ),
)
def test_a_launch_that_cannot_begin(launcher: Launcher, argv: list[str], cwd: str, error: str) -> None:
    assert launcher.launch(Command(argv, env=ENV, cwd=cwd, deadline=DEADLINE)).exec_error == error


def test_127_from_the_helper_itself_is_no_exec_error(sh: Sh) -> None:
    assert sh("exit 127").exec_error == ""


def test_a_signal_is_sent_when_it_is_due(launcher: Launcher) -> None:
    done = launcher.launch(
        Command(
            ["/bin/sleep", "1000"],
            env=ENV,
            cwd="/",
            deadline=DEADLINE,
            attendance=Attendance(signals=[(5.0, 9), (0.1, signal.SIGTERM)]),
        )
    )
    assert (done.signal, done.timed_out) == (signal.SIGTERM, False)
    assert 0.1 <= done.seconds < 5.0


def test_the_caller_is_told_who_was_started(launcher: Launcher) -> None:
    told: list[int] = []
    done = launcher.launch(
        Command(["/bin/sh", "-c", "echo $$"], env=ENV, cwd="/", deadline=DEADLINE), started=told.append
    )
    assert told == [int(done.stdout)]


@pytest.mark.parametrize("deadline", (0.05, 0.2, 0.8))
def test_the_deadline_is_kept(launcher: Launcher, deadline: float) -> None:
    done = launcher.launch(Command(["/bin/sleep", "1000"], env=ENV, cwd="/", deadline=deadline))
    assert (done.timed_out, done.signal, done.status, done.left) == (True, signal.SIGKILL, None, ())
    assert deadline <= done.seconds < deadline + 0.3


def test_many_launches_leave_no_descriptor_open(launcher: Launcher) -> None:
    before = os.listdir(f"/proc/{launcher._open().pid}/fd")
    for _ in range(20):
        launcher.launch(Command(["/bin/cat"], env=ENV, cwd="/", deadline=DEADLINE, stdin=b"x"))
    assert os.listdir(f"/proc/{launcher._open().pid}/fd") == before
