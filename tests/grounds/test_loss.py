# SPDX-License-Identifier: MIT
"""The launcher, or the engine, ends in the middle of a launch."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import boxproof
from boxproof.errors import GroundError
from boxproof.grounds import launch as engine_side
from boxproof.grounds import sweep as sweeping
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.command import Command
from boxproof.grounds.launch import Launcher, LauncherLost
from boxproof.grounds.sweep import COOKIE, stragglers, sweep
from tests.grounds.conftest import DEADLINE, ENV, run

ENGINE = """
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.command import Command
from boxproof.grounds.launch import Launcher
launcher = Launcher(launch_user())
launcher.start()
launcher.launch(Command(["/bin/sleep", "1000"], deadline=1000), started=lambda pid: print(pid, flush=True))
"""
LATE = """
import sys
sys.path.append(sys.argv[1])
import os, signal
take = signal.signal
def late(number, handler):
    if (number, handler) == (signal.SIGTERM, signal.SIG_IGN):
        os.kill(os.getpid(), number)
    return take(number, handler)
signal.signal = late
from boxproof.grounds.spawner import main
main()
"""
"""A launcher whose SIGTERM, which the end of its engine sends, comes when it is leaving already."""
LEAVES = f"""
import os, sys
from boxproof.grounds import connection
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.launch import Launcher
connection.BOOT = {LATE!r}
launcher = Launcher(launch_user(), folder=sys.argv[1])
launcher.start()
print(launcher._connection.pid, flush=True)
sys.stdin.read()
"""
HIDDEN = """$PYTHON -I -S -c '
import os
os.execve("/bin/sleep", ["sleep", "1000"], {})
' & kill -9 $PPID"""


def engine(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start an engine of its own, which is to be killed."""
    path = os.pathsep.join([str(Path(boxproof.__file__).parents[1]), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def ends(pidfd: int) -> bool:
    """Wait for an end, at most ten seconds."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(10_000))


@pytest.mark.parametrize(
    "script",
    (
        "kill -9 $PPID; sleep 1000",
        "sleep 1000 & setsid sleep 1000 & kill -9 $PPID",
        "kill -TERM $PPID; sleep 1000",
        HIDDEN,
    ),
    ids=["at-once", "with-children", "by-sigterm", "with-an-empty-environment"],
)
def test_a_helper_that_kills_its_parent(own_launcher: Launcher, script: str) -> None:
    told: list[int] = []
    argv = ["/bin/sh", "-c", script]
    with pytest.raises(LauncherLost):
        own_launcher.launch(
            Command(argv, env={**ENV, "PYTHON": sys.executable}, cwd="/", deadline=DEADLINE), started=told.append
        )
    assert stragglers(own_launcher._cookie, told[0]) == []


def test_another_launcher_takes_over(own_launcher: Launcher) -> None:
    with pytest.raises(LauncherLost, match="ended by SIGKILL"):
        run(own_launcher, "kill -9 $PPID")
    own_launcher.start()
    assert run(own_launcher, "exit 3").status == 3


def test_a_helper_that_stops_its_parent(own_launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_side, "_MARGIN_SECONDS", 0.5)
    with pytest.raises(LauncherLost, match="stopped answering"):
        run(own_launcher, "kill -STOP $PPID; sleep 1000", deadline=0.5)


def test_a_launcher_that_does_not_run_says_so(user: LaunchUser) -> None:
    with pytest.raises(LauncherLost, match="does not run"):
        run(Launcher(user), ":")


def test_an_interpreter_that_does_not_start(user: LaunchUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(GroundError, match=r"the launcher does not start.*ended with 1"):
        Launcher(user).start()


def test_an_interpreter_that_is_not_there(user: LaunchUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/does/not/exist")
    before = os.listdir("/proc/self/fd")
    with pytest.raises(GroundError, match="the launcher does not start"):
        Launcher(user).start()
    assert os.listdir("/proc/self/fd") == before


def test_ctrl_c_while_waiting_ends_the_launch(own_launcher: Launcher) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(own_launcher, f"kill -INT {os.getpid()}; sleep 1000")
    assert own_launcher._connection is None
    assert stragglers(own_launcher._cookie) == []


def test_an_error_of_the_caller_ends_the_launch(launcher: Launcher) -> None:
    def fail(pid: int) -> None:
        raise ZeroDivisionError(pid)

    with pytest.raises(ZeroDivisionError):
        launcher.launch(Command(["/bin/sleep", "1000"], env=ENV, cwd="/", deadline=DEADLINE), started=fail)


@pytest.mark.parametrize("number", (signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
def test_nothing_outlives_the_engine(number: signal.Signals) -> None:
    with engine(ENGINE) as process:
        assert process.stdout is not None
        helper = os.pidfd_open(int(process.stdout.readline()))
        process.send_signal(number)
        assert process.wait(timeout=10) != 0
    assert ends(helper)
    os.close(helper)


def test_a_signal_while_it_leaves_does_not_keep_the_farms(place: Path) -> None:
    farms = place / "farms"
    farms.mkdir()
    with engine(LEAVES, str(farms)) as process:
        assert process.stdout is not None
        launcher = os.pidfd_open(int(process.stdout.readline()))
        process.kill()
    assert ends(launcher)
    os.close(launcher)
    assert not farms.exists()


def test_the_launcher_ignores_what_the_terminal_sends(launcher: Launcher) -> None:
    os.kill(launcher._open().pid, signal.SIGINT)
    assert run(launcher, "exit 4").status == 4


def test_a_sweep_finds_by_environment_and_by_session() -> None:
    marked = subprocess.Popen(["/bin/sleep", "1000"], env={COOKIE: "marked"})
    leading = subprocess.Popen(["/bin/sleep", "1000"], env={}, start_new_session=True)
    other = subprocess.Popen(["/bin/sleep", "1000"], env={COOKIE: "marked-otherwise"})
    with marked, leading, other:
        assert sweep("marked", leading.pid) == []
        assert marked.wait(timeout=10) == leading.wait(timeout=10) == -signal.SIGKILL
        assert other.poll() is None
        other.kill()


def test_a_sweep_looks_again_where_it_found_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([True, False])
    real = sweeping.stragglers
    monkeypatch.setattr(sweeping, "stragglers", lambda *marks: [] if next(looks, False) else real(*marks))
    with subprocess.Popen(["/bin/sleep", "1000"], env={COOKIE: "marked"}) as marked:
        assert sweep("marked") == []
        assert marked.wait(timeout=10) == -signal.SIGKILL
