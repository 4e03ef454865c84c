# SPDX-License-Identifier: MIT
"""The helper is a well-behaved parent, and the command is confined (PROC, HOST-3)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .harness import DEADLINE, Farm, Helper, environment, policy

STATUSES = (0, 1, 2, 42, 101, 125, 126, 127, 255)


def start(
    helper: Helper,
    farm: Farm,
    script: str,
    *arguments: str,
    **popen: Any,  # noqa: ANN401 - passed on to Popen
) -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    """Start a shell script as `begin` does any command."""
    return begin(helper, farm, ["/bin/sh", "-c", script, "sh", *arguments], **popen)


@contextlib.contextmanager
def begin(
    helper: Helper,
    farm: Farm,
    command: list[str],
    **popen: Any,  # noqa: ANN401 - passed on to Popen
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command in the sandbox of an ordinary policy, with pipes; nothing of it is left afterwards."""
    farm.folder("ws")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws"))])
    settings: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    settings |= {"env": environment(), "cwd": "/", **helper.caller.credentials(), **popen}
    with subprocess.Popen(helper.command(rules, [], command), **settings) as running:
        try:
            yield running
        finally:
            for pid in (running.pid, *descendants(running.pid)) if running.poll() is None else ():
                os.kill(pid, signal.SIGKILL)


def run(helper: Helper, farm: Farm, script: str, *arguments: str, **popen: Any) -> tuple[int, bytes, bytes]:  # noqa: ANN401 - passed on to Popen
    """Run it to the end: status, stdout, stderr."""
    with start(helper, farm, script, *arguments, **popen) as running:
        out, err = running.communicate(timeout=DEADLINE)
        return running.returncode, out, err


@pytest.mark.parametrize("status", STATUSES)
def test_the_status_comes_back(farm: Farm, helper: Helper, status: int) -> None:
    assert run(helper, farm, f"exit {status}") == (status, b"", b"")


@pytest.mark.parametrize("number", (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGPIPE))
def test_death_by_a_signal_is_128_and_its_number(farm: Farm, helper: Helper, number: int) -> None:
    assert run(helper, farm, f"kill -{number} $$")[0] == 128 + number


def test_streams_pass_unchanged(farm: Farm, helper: Helper) -> None:
    data = os.urandom(1 << 20)
    with start(helper, farm, "cat > f; cat f; cat f >&2") as running:
        out, err = running.communicate(data, timeout=DEADLINE)
    assert (out == data, err == data) == (True, True)


@pytest.mark.parametrize("closed", ((0,), (1,), (2,), (0, 1, 2)))
def test_a_closed_descriptor_stays_closed(farm: Farm, helper: Helper, closed: tuple[int, ...]) -> None:
    script = "for n in 0 1 2; do test -e /proc/self/fd/$n && echo $n >> open; done; : >> open"
    farm.folder("ws")
    command = helper.command(policy(farm.path("ws"), [("rw", farm.path("ws"))]), [], ["/bin/sh", "-c", script])
    shut = " ".join(f"{number}>&-" for number in closed)
    helper_settings = helper.caller.credentials()
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {shut}', "sh", *command], check=False, timeout=DEADLINE, capture_output=True,
        env=environment(), cwd="/", **helper_settings,
    )  # fmt: skip
    assert done.returncode == 0
    assert farm.read(farm.path("ws/open")).split() == [b"%d" % n for n in (0, 1, 2) if n not in closed]


def test_no_descriptor_beyond_the_standard_ones_reaches_the_command(farm: Farm, helper: Helper) -> None:
    script = "for n in 3 4 5 6 7 8 9 10 11 12 200; do test -e /proc/$$/fd/$n && echo $n; done; echo end"
    reading, writing = os.pipe()
    os.dup2(reading, 200)
    try:
        assert run(helper, farm, script, pass_fds=(reading, writing, 200))[1] == b"end\n"
    finally:
        for number in (reading, writing, 200):
            os.close(number)


def test_arguments_pass_as_bytes(farm: Farm, helper: Helper) -> None:
    words = ["", " ", "-x", "--", "a\nb", "\udcff\udc80", "\u00e9", "$HOME", "*"]
    expected = b"".join(os.fsencode(word) + b"\0" for word in words)
    assert run(helper, farm, "printf '%s\\0' \"$@\"", *words)[1] == expected


@pytest.mark.parametrize("locale", ({}, {"LC_ALL": "C"}, {"LANG": "C"}, {"LC_CTYPE": "POSIX"}))
def test_the_environment_passes_as_it_is(farm: Farm, helper: Helper, locale: dict[str, str]) -> None:
    given = {"PATH": "/usr/bin:/bin", "ODD": "a\nb\udcff", "EMPTY": "", "PYTHONPATH": "/nowhere", **locale}
    farm.folder("ws")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws"))])
    done = helper.run(rules, "/usr/bin/env", "-0", env=given)
    seen = dict(entry.split(b"=", 1) for entry in done.out.split(b"\0") if entry)
    assert seen.pop(b"PWD") == os.fsencode(farm.path("ws"))
    assert seen == {os.fsencode(key): os.fsencode(value) for key, value in given.items()}


def test_signals_mask_umask_and_limits_pass(farm: Farm, helper: Helper) -> None:
    def change() -> None:
        os.umask(0o027)
        signal.pthread_sigmask(signal.SIG_SETMASK, [signal.SIGUSR1])
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    farm.folder("ws")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws"))])
    for command in (
        ["/bin/grep", "-E", "^(Sig(Blk|Ign)|Umask)", "/proc/self/status"],
        ["/bin/cat", "/proc/self/limits"],
    ):
        control = subprocess.run(command, capture_output=True, check=True, preexec_fn=change, env=environment())
        assert helper.run(rules, *command, preexec_fn=change).out == control.stdout


def test_the_limit_of_open_descriptors_is_raised_for_the_rules_alone(farm: Farm, helper: Helper) -> None:
    def lower() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 1024))

    rules = [("rw", farm.path("ws")), *(("ro", farm.file(f"ws/f{number}")) for number in range(200))]
    done = helper.sh(policy(farm.path("ws"), rules), "ulimit -Sn; ulimit -Hn", preexec_fn=lower)
    assert done.out.split() == [b"64", b"1024"]


def test_too_low_a_limit_of_open_descriptors_is_a_refusal(farm: Farm, helper: Helper) -> None:
    rules = [("rw", farm.path("ws")), *(("ro", farm.file(f"ws/f{number}")) for number in range(60))]
    for most in range(16, 100, 4):

        def lower(most: int = most) -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

        done = helper.sh(policy(farm.path("ws"), rules), "echo bad > f59; echo ran", preexec_fn=lower)
        assert (done.status, done.out) in {(0, b"ran\n"), (125, b"")}
        assert farm.read(farm.path("ws/f59")) != b"bad"


def test_a_missing_command_is_127_and_one_that_cannot_run_126(farm: Farm, helper: Helper) -> None:
    plain, denied = farm.file("ws/plain"), farm.file("ws/denied", mode=0o755)
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", denied)])
    for command, status in (("nothing-of-that-name", 127), ("./nothing", 127), ("/nowhere/x", 127), ("", 127),
                            (plain, 126), (farm.path("ws"), 126), ("./plain", 126), (denied, 126)):  # fmt: skip
        done = helper.run(rules, command)
        assert done.status == status, command
        assert done.err.count(b"\n") == 1
    assert helper.run(policy(farm.path("ws"), [("ro", farm.path("ws"))], reads="listed"), "/root/x").status == 127


def test_the_command_is_confined(farm: Farm, helper: Helper) -> None:
    status = "grep -E '^(Cap(Eff|Prm|Amb|Inh)|NoNewPrivs)' /proc/self/status"
    script = f"{status}; readlink /proc/self/ns/*; cd /proc; echo [1-9]*"
    out = run(helper, farm, script)[1].split()
    values = dict(zip(out[0:10:2], out[1:10:2], strict=True))
    assert values.pop(b"NoNewPrivs:") == b"1"
    assert {int(value, 16) for value in values.values()} == {0}
    spaces = [
        word for word in out if word.startswith((b"user:", b"pid:", b"ipc:", b"uts:", b"net:", b"mnt:", b"cgroup:"))
    ]
    own = {os.fsencode(os.readlink(f"/proc/self/ns/{name}")) for name in os.listdir("/proc/self/ns")}
    assert len(set(spaces)) == 7
    assert not own & set(spaces)
    assert set(out[out.index(spaces[-1]) + 1 :]) <= {b"1", b"2"}


@pytest.mark.parametrize("network", (False, True))
def test_the_network_is_as_the_policy_says(farm: Farm, helper: Helper, *, network: bool) -> None:
    farm.folder("ws")
    name = f"\0boxproof-{os.urandom(6).hex()}"
    script = (
        "import socket, sys\n"
        "for family, address in ((2, ('127.0.0.1', int(sys.argv[1]))), (1, '\\0' + sys.argv[2])):\n"
        "    try: socket.socket(family).connect(address); print('through')\n"
        "    except OSError: print('closed')\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(name)
        abstract.listen()
        rules = policy(farm.path("ws"), [("rw", farm.path("ws"))], network=network)
        done = helper.run(rules, "/usr/bin/python3", "-c", script, str(tcp.getsockname()[1]), name[1:])
    assert done.out.split() == [b"through" if network else b"closed"] * 2


@pytest.mark.parametrize("listens", ("ignores", "handles", "default"))
def test_sigterm_ends_everything(farm: Farm, helper: Helper, listens: str) -> None:
    trap = {"ignores": "trap '' TERM;", "handles": "trap 'exit 7' TERM;", "default": ""}[listens]
    with start(helper, farm, f"{trap} setsid sleep 1000 & {trap} echo up; while :; do sleep 0.05; done") as running:
        assert running.stdout
        assert running.stdout.readline() == b"up\n"
        inside = descendants(running.pid)
        began = time.monotonic()
        running.send_signal(signal.SIGTERM)
        assert running.wait(DEADLINE) == {"ignores": 143, "handles": 7, "default": 143}[listens]
        assert time.monotonic() - began < 4
    assert len(inside) >= 4
    assert not [pid for pid in inside if is_alive(pid)]


def test_sigint_is_relayed_and_the_command_may_go_on(farm: Farm, helper: Helper) -> None:
    with start(helper, farm, "trap 'echo int' INT; echo up; read line; echo $line; exit 5") as running:
        assert running.stdout
        assert running.stdin
        assert running.stdout.readline() == b"up\n"
        running.send_signal(signal.SIGINT)
        assert running.stdout.readline() == b"int\n"
        with contextlib.suppress(BrokenPipeError):  # A shell may end its read at the signal, and not wait for a line.
            running.stdin.write(b"on\n")
            running.stdin.close()
        assert running.stdout.read().rstrip() in {b"on", b""}
        assert running.wait(DEADLINE) == 5


def test_sigint_ends_a_command_that_ignores_it(farm: Farm, helper: Helper) -> None:
    with start(helper, farm, "trap '' INT; echo up; while :; do sleep 0.05; done") as running:
        assert running.stdout
        assert running.stdout.readline() == b"up\n"
        inside = descendants(running.pid)
        running.send_signal(signal.SIGINT)
        assert running.wait(4) == 130
    assert not [pid for pid in inside if is_alive(pid)]


def test_sigint_reaches_what_the_command_waits_for(farm: Farm, helper: Helper) -> None:
    script = "trap 'exit 9' INT; (trap 'echo too; exit' INT; echo up; while :; do sleep 0.05; done); true"
    with start(helper, farm, script) as running:
        assert running.stdout
        assert running.stdout.readline() == b"up\n"
        running.send_signal(signal.SIGINT)
        assert running.wait(4) == 9
        assert running.stdout.read() == b"too\n"


def test_a_process_that_the_command_leaves_ends_with_it(farm: Farm, helper: Helper) -> None:
    mark = f"1{int.from_bytes(os.urandom(3), 'big')}"
    status, out, _ = run(helper, farm, f"setsid sleep {mark} >/dev/null 2>&1 </dev/null & echo up")
    assert (status, out) == (0, b"up\n")
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and mark.encode() in cmdline(pid)]


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGINT))
@pytest.mark.parametrize("delay", range(0, 80, 8))
def test_an_early_signal_leaves_nothing_behind(farm: Farm, helper: Helper, delay: int, number: int) -> None:
    mark = f"1{int.from_bytes(os.urandom(3), 'big')}"
    # Not by a shell: dash loses a SIGINT that arrives while it starts a program, inside a sandbox and outside.
    with begin(helper, farm, ["/bin/sleep", mark]) as running:
        await_first_line(running)
        ended = ctypes.CDLL(None).usleep(delay * 1000)
        running.send_signal(number)
        assert running.wait(DEADLINE) == 128 + number
        assert running.stderr
        assert running.stderr.read() == b""
    assert ended == 0
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and mark.encode() in cmdline(pid)]


def await_first_line(running: subprocess.Popen[bytes]) -> None:
    """Return when the helper blocks or handles SIGTERM: Python, which starts it, answers or loses a signal before."""
    bit = 1 << (signal.SIGTERM - 1)
    while running.poll() is None:
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{running.pid}/status").read_text().splitlines())
        if (int(fields["SigBlk"], 16) | int(fields["SigCgt"], 16)) & bit:
            return


def descendants(pid: int) -> list[int]:
    """All processes below one, itself not among them."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [below for child in children for below in descendants(child)]


def is_alive(pid: int) -> bool:
    """Whether a process is there and is more than an entry that its parent has yet to collect."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def cmdline(pid: str) -> bytes:
    """The argument vector of a process, or nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
