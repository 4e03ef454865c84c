# SPDX-License-Identifier: MIT
"""A launch in a container ends, and is told, as one on the host."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from statistics import median

import pytest

from boxproof.errors import GroundError
from boxproof.grounds.command import Command
from boxproof.grounds.container.launcher import ContainerLauncher
from boxproof.grounds.launch import Launch, Launcher, LauncherLost
from tests.grounds.container.conftest import DEADLINE, ENV, USER, run

Sh = Callable[..., Launch]
MORE_MS = 5.0


def test_the_environment_is_the_given_one(launcher: ContainerLauncher) -> None:
    env = {**ENV, "A": "it's\n$B", "B": "\udcff"}
    done = launcher.launch(Command(["/usr/bin/env", "-0"], env=env, cwd="/", deadline=DEADLINE))
    assert dict(line.split(b"=", 1) for line in done.stdout.split(b"\0") if line) == {
        os.fsencode(name): os.fsencode(value) for name, value in env.items()
    }


def test_identity_and_place(sh: Sh) -> None:
    done = sh(
        "id -u; id -g; id -G; pwd; umask; ulimit -c; grep -E '^(CapPrm|CapAmb|SigIgn|SigBlk)' /proc/self/status",
        cwd="/usr",
    )
    words = done.stdout.decode().split()
    assert words[:6] == ["1000", "1000", "1000", "/usr", "0022", "0"]
    assert set(words[7::2]) == {"0" * 16}


def test_it_leads_a_session_and_holds_three_descriptors(sh: Sh) -> None:
    done = sh("read -r pid _ </proc/self/stat; set -- $(cat /proc/$pid/stat); echo $1 $5 $6; cd /proc/self/fd; echo *")
    numbers, descriptors = done.stdout.decode().splitlines()
    assert len(set(numbers.split())) == 1
    assert descriptors.split()[:3] == ["0", "1", "2"]
    assert len(descriptors.split()) <= 4  # the shell's own look at the folder


@pytest.mark.parametrize("status", (0, 1, 42, 126, 127, 137, 255))
def test_a_status_comes_back(sh: Sh, status: int) -> None:
    done = sh(f"exit {status}")
    assert (done.status, done.signal, done.timed_out, done.left, done.exec_error) == (status, None, False, (), "")


@pytest.mark.parametrize("number", (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM))
def test_a_death_by_signal_is_told_from_a_status(sh: Sh, number: signal.Signals) -> None:
    done = sh(f"kill -{number.value} $$")
    assert (done.status, done.signal) == (None, number)


def test_streams_are_carried_both_ways(sh: Sh) -> None:
    sent = bytes(range(256)) * 4096
    for script, out, err in (("cat", sent, b""), ("cat >&2", b"", sent)):
        done = sh(script, stdin=sent)
        assert (done.stdout, done.stderr, done.status) == (out, err, 0)


def test_what_is_not_read_blocks_nothing(sh: Sh) -> None:
    assert sh("exit 7", stdin=bytes(1 << 20)).status == 7


def test_output_beyond_the_bound_is_counted(sh: Sh) -> None:
    done = sh("head -c 300000 /dev/zero; head -c 5 /dev/zero >&2", bound=1000)
    assert (len(done.stdout), len(done.stderr), done.dropped) == (1000, 5, 299_000)


def test_a_deadline_ends_everything(sh: Sh) -> None:
    start = time.monotonic()
    done = sh("setsid sleep 1000 & trap '' TERM INT HUP; sleep 1000", deadline=0.5)
    assert (done.timed_out, done.left) == (True, ())
    assert time.monotonic() - start < DEADLINE
    assert sh("exit 3").status == 3


def test_what_outlives_the_helper_is_named_and_killed(sh: Sh) -> None:
    done = sh("setsid sleep 1000 & sleep 1001 & exit 0")
    assert len(done.left) == 2
    assert sh("exit 0").left == ()


def test_what_ends_within_the_grace_is_not_left(sh: Sh) -> None:
    assert sh("sleep 0.1 & exit 0", grace=10.0).left == ()


def test_signals_are_sent_in_time(sh: Sh) -> None:
    done = sh("trap 'exit 9' TERM; echo; while :; do sleep 0.01; done", signals=[(0.3, signal.SIGTERM)])
    assert done.status == 9


@pytest.mark.parametrize("fds", ((3,), (3, 9), (10, 11, 30)))
def test_further_descriptors_are_open_on_nothing(sh: Sh, fds: tuple[int, ...]) -> None:
    done = sh("for fd; do :; done; ls -l /proc/self/fd", null_fds=fds)
    for fd in fds:
        assert f" {fd} -> /dev/null\n" in done.stdout.decode()


@pytest.mark.parametrize(
    ("path", "cwd", "error"),
    (
        ("/no/such", "/", "execve: ENOENT"),
        ("/etc/passwd", "/", "execve: EACCES"),
        ("/bin/true", "/no", "chdir: EACCES"),
    ),
)
def test_what_cannot_be_started_says_so(launcher: ContainerLauncher, path: str, cwd: str, error: str) -> None:
    assert launcher.launch(Command([path], env=ENV, cwd=cwd, deadline=DEADLINE)).exec_error == error


def test_another_name_for_the_executable_is_refused(launcher: ContainerLauncher) -> None:
    with pytest.raises(GroundError, match="its own name"):
        launcher.launch(Command(["sh"], executable="/bin/sh", env=ENV, cwd="/", deadline=DEADLINE))


def test_no_output_forges_a_line(sh: Sh, launcher: ContainerLauncher) -> None:
    lines = "ended 0\nstarted 1\nlooked\nleft 5 R 0 forged\nready\n"
    done = sh(f"printf '{lines}'; printf '{lines}' >&2; exit 5", stdin=lines.encode())
    assert (done.status, done.stdout.decode(), done.stderr.decode(), done.left) == (5, lines, lines, ())
    assert launcher.launch(Command(["/bin/true"], env=ENV, cwd="/", deadline=DEADLINE)).status == 0


@pytest.mark.parametrize("way", ("/proc/1/fd/1", "/proc/1/fd/3", "$0/control/keep", "$0/control/out"))
def test_a_helper_cannot_open_the_engines_pipes(sh: Sh, base: object, way: str) -> None:
    done = sh(f'way=$(echo "{way}" | sed "s,^.0,{base},"); {{ echo "ended 0" >"$way"; }} 2>/dev/null || exit 5')
    assert done.status == 5


def test_a_helper_cannot_end_the_container(sh: Sh) -> None:
    assert sh("kill -9 1; kill -9 $PPID; kill -9 -1; exit 4").status in {4, None}
    assert sh("exit 6").status == 6


def test_a_lost_container_is_told_and_made_anew(launcher: ContainerLauncher) -> None:
    def lose(_: int) -> None:
        launcher._open()._process.kill()
        launcher.engine.remove(launcher._label)

    with pytest.raises(LauncherLost):
        run(launcher, "sleep 1000", started=lose)
    launcher.start()
    assert run(launcher, "exit 6").status == 6


def test_a_launch_costs_little_more_than_on_the_host(launcher: ContainerLauncher) -> None:
    if os.getloadavg()[0] > 1:
        pytest.skip("the machine is too busy to tell")
    with Launcher(USER) as host:
        for one in (launcher, host):
            one.launch(Command(["/bin/true"], env=ENV, cwd="/", deadline=DEADLINE))
        pairs = [(_milliseconds(launcher), _milliseconds(host)) for _ in range(40)]
    assert median(inside - outside for inside, outside in pairs) < MORE_MS


def _milliseconds(one: ContainerLauncher | Launcher) -> float:
    start = time.perf_counter()
    one.launch(Command(["/bin/true"], env=ENV, cwd="/", deadline=DEADLINE))
    return (time.perf_counter() - start) * 1000
