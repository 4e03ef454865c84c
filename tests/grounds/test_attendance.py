# SPDX-License-Identifier: MIT
"""What a helper inherits beside its environment, and what happens to it while it runs."""

from __future__ import annotations

import signal

import pytest

from boxproof.grounds.command import Command
from boxproof.grounds.given import Attendance, Given
from boxproof.grounds.launch import Launch, Launcher
from boxproof.probe.command import process_command
from boxproof.probe.facts import Facts, read_facts
from tests.grounds.conftest import DEADLINE, ENV

NONCE = "f0"
WAITS = ["/bin/sh", "-c", "echo waiting; read line; echo over; exit 3"]
CUE = "waiting\n"
TERM = signal.SIGTERM.value


def told(launcher: Launcher, *steps: str, given: Given | None = None, passes: tuple[int, ...] = ()) -> Facts:
    argv = process_command(NONCE, [*steps, "probe", "exit=0"], (), ["/bin/true"])
    done = launcher.launch(
        Command(argv, env=ENV, cwd="/", deadline=DEADLINE, null_fds=passes, given=given or Given(), bound=1 << 20)
    )
    assert done.status == 0, done
    return read_facts(done.stderr if 1 in (given or Given()).closed else done.stdout, NONCE)


def attended(launcher: Launcher, attendance: Attendance, deadline: float = DEADLINE) -> Launch:
    return launcher.launch(Command(WAITS, env=ENV, cwd="/", deadline=deadline, attendance=attendance))


def test_signals_that_are_ignored_and_blocked_are_inherited(launcher: Launcher) -> None:
    facts = told(launcher, "status", given=Given(ignored=("HUP", "USR1"), blocked=("USR2",)))
    assert (int(facts.row("status", "SigIgn"), 16), int(facts.row("status", "SigBlk"), 16)) == (0x201, 0x800)


def test_without_that_nothing_is_ignored_or_blocked(launcher: Launcher) -> None:
    facts = told(launcher, "status")
    assert (int(facts.row("status", "SigIgn"), 16), int(facts.row("status", "SigBlk"), 16)) == (0, 0)


def test_umask_and_limits_are_inherited(launcher: Launcher) -> None:
    facts = told(launcher, "umask", "limits", given=Given(umask="0027", limits=("NOFILE 77",)))
    assert facts.lines("umask") == ["0027"]
    assert next(line.split()[3] for line in facts.lines("limits") if line.startswith("Max open files")) == "77"


@pytest.mark.parametrize("passes", ((), (3,), (9, 200)))
def test_descriptors_are_told_by_number(launcher: Launcher, passes: tuple[int, ...]) -> None:
    assert tuple(map(int, told(launcher, "descriptors", passes=passes).lines("descriptors"))) == passes


@pytest.mark.parametrize("closed", ((0,), (1,), (2,), (0, 1)))
def test_streams_that_are_closed_are_told_so(launcher: Launcher, closed: tuple[int, ...]) -> None:
    said_on = ("on-stderr",) if 1 in closed else ()
    states = dict(
        line.split() for line in told(launcher, "streams", *said_on, given=Given(closed=closed)).lines("streams")
    )
    assert [number for number, state in states.items() if state == "closed"] == [str(number) for number in closed]


def test_the_launcher_is_seen_where_the_hosts_processes_are(launcher: Launcher) -> None:
    assert "seen" in told(launcher, "processes").lines("processes")


def test_the_host_can_be_looked_at_while_the_command_waits(launcher: Launcher) -> None:
    looks: list[str] = []
    done = attended(launcher, Attendance(hold=True, cue=CUE, during=lambda: looks.append("here")))
    assert (done.status, done.stdout, looks) == (3, b"waiting\nover\n", ["here"])
    assert done.cued is not None
    assert 0 < done.cued <= done.seconds


def test_a_signal_comes_when_the_command_waits(launcher: Launcher) -> None:
    done = attended(launcher, Attendance(hold=True, cue=CUE, keep=True, signals=((0.0, TERM),)))
    assert (done.signal, done.stdout) == (TERM, b"waiting\n")


def test_a_signal_comes_at_its_moment_of_the_start(launcher: Launcher) -> None:
    done = attended(launcher, Attendance(hold=True, signals=((0.2, TERM),)))
    assert (done.signal, done.stdout, done.cued) == (TERM, b"waiting\n", None)
    assert done.seconds >= 0.2


def test_what_never_waits_is_not_waited_for(launcher: Launcher) -> None:
    done = attended(launcher, Attendance(hold=True, cue="never\n", signals=((0.0, TERM),)), deadline=0.5)
    assert (done.timed_out, done.cued) == (True, None)


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT))
def test_a_signal_before_the_helper_is_executed_is_not_lost(launcher: Launcher, number: signal.Signals) -> None:
    ends = {attended(launcher, Attendance(hold=True, signals=((at / 1e4, number.value),))).signal for at in range(12)}
    assert ends == {number.value}
