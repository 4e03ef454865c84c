# SPDX-License-Identifier: MIT
"""Helpers that trace the launcher, or reach for its umask and its terminal: in vain, or the loss is told in time."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

import boxproof
from boxproof.grounds import launch as engine_side
from boxproof.grounds.launch import Launch, Launcher, LauncherLost
from tests.grounds.conftest import DEADLINE, run

TRACE = """exec $PYTHON -I -S -c '
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
seize = libc.ptrace({request}, os.getppid(), None, None)
if seize:
    sys.exit(ctypes.get_errno())
{after}
'"""
ATTACH, SEIZE = 16, 0x4206
EPERM = 1
ENGINE = """
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.command import Command
from boxproof.grounds.launch import Launcher
with Launcher(launch_user()) as launcher:
    script = "umask 0; (: </dev/tty) 2>/dev/null && echo a terminal; stty -echo 2>/dev/null && echo settings; exit 3"
    for script in (script, "umask"):
        done = launcher.launch(Command(["/bin/sh", "-c", script], env={"PATH": "/usr/bin:/bin"}, deadline=20))
        print(done.status, done.stdout.decode())
"""


def trace(launcher: Launcher, request: int, after: str) -> Launch:
    return run(launcher, TRACE.format(request=request, after=after), deadline=1.0)


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user's helper runs as the launcher's own user")
@pytest.mark.parametrize("request_number", (ATTACH, SEIZE))
def test_another_user_cannot_trace_its_parent(launcher: Launcher, request_number: int) -> None:
    assert trace(launcher, request_number, "").status == EPERM


@pytest.mark.parametrize("after", ("", "time.sleep(1000)"), ids=["goes", "stays"])
def test_a_tracer_that_lets_it_run_changes_nothing(own_launcher: Launcher, after: str) -> None:
    done = trace(own_launcher, SEIZE, after)
    assert (done.timed_out, done.left) == (bool(after), ()) or done.status == EPERM
    assert run(own_launcher, "exit 5").status == 5


def test_a_tracer_that_stops_it_is_a_loss(own_launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_side, "_MARGIN_SECONDS", 1.0)
    try:
        assert trace(own_launcher, ATTACH, "time.sleep(1000)").status == EPERM
    except LauncherLost:
        own_launcher.start()
    assert run(own_launcher, "exit 5", deadline=DEADLINE).status == 5


@pytest.fixture
def terminal() -> Iterator[int]:
    """A terminal, and nobody at the other end."""
    ours, theirs = pty.openpty()
    yield theirs
    os.close(theirs)
    os.close(ours)


def test_it_has_no_terminal_and_its_umask_is_its_own(terminal: int) -> None:
    path = os.pathsep.join([str(Path(boxproof.__file__).parents[1]), *sys.path])
    before = termios.tcgetattr(terminal)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import fcntl, os, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n{ENGINE}",
        ],
        env={**os.environ, "PYTHONPATH": path},
        stdin=terminal,
        stdout=subprocess.PIPE,
        check=True,
        timeout=60,
    )
    assert done.stdout.split() == [b"3", b"0", b"0022"]
    assert termios.tcgetattr(terminal) == before
