# SPDX-License-Identifier: MIT
"""Which bwrap is used and what becomes of a bad one, the policy file's errors, and the command line (FALL, CONF)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from .harness import DEADLINE, Farm, Helper, Outcome, environment, policy

SHAM = {
    "hangs": "exec sleep 1000",
    "hangs-below": "sleep 1000; exit 3",
    "fails": "exit 1",
    "succeeds": "exit 0",
    "dies": "kill -9 $$",
    "babbles": "echo nonsense >&2; echo '{\"exit-code\"' >&9; exit 0",
}
"""Bodies of stand-ins for bwrap."""


def sham(farm: Farm, body: str) -> str:
    """An executable stand-in for bwrap."""
    path = farm.file("bin/bwrap")
    Path(path).write_text(f"#!/bin/sh\n{body}\n", encoding="ascii")
    Path(path).chmod(0o755)
    return path


def with_bwrap(
    helper: Helper, farm: Farm, bwrap: str, *options: str, rules: list[tuple[str, str]] | None = None
) -> Outcome:
    """Launch `echo ran` with another bwrap."""
    farm.folder("ws")
    given = policy(farm.path("ws"), [("rw", farm.path("ws"))] if rules is None else rules)
    return helper.run(given, "/bin/echo", "ran", options=["--bwrap", bwrap, *options])


@pytest.mark.parametrize("kind", SHAM)
@pytest.mark.parametrize("options", ((), ("--check",)))
def test_a_bwrap_that_does_not_do_its_work_is_a_refusal_in_time(
    farm: Farm, helper: Helper, kind: str, options: tuple[str, ...]
) -> None:
    began = time.monotonic()
    done = with_bwrap(helper, farm, sham(farm, SHAM[kind]), *options)
    assert time.monotonic() - began < 6
    assert done.status == 125
    assert b"refused: bwrap" in done.err
    assert not done.out


def test_a_missing_or_odd_bwrap_is_refused(farm: Farm, helper: Helper) -> None:
    plain = farm.file("plain")
    os.chmod(plain, 0o644)
    for path in ("/nowhere/bwrap", plain, farm.root, "relative"):
        done = with_bwrap(helper, farm, path)
        assert done.refused, path
        assert not done.out


@pytest.mark.parametrize("fault", ("file-mode", "folder-mode", "group-folder", "owner"))
def test_a_bwrap_that_others_could_replace_is_refused(farm: Farm, helper: Helper, fault: str) -> None:
    folder = farm.folder("bin")
    path = farm.path("bin/bwrap")
    shutil.copy("/bin/true", path)
    farm._own(path)
    assert b"belongs" not in with_bwrap(helper, farm, path).err
    if fault == "owner":
        if os.geteuid() != 0:
            pytest.skip("only root can give a file away")
        os.chown(path, 4711, 4711)
    else:
        os.chmod(path if fault == "file-mode" else folder, 0o775 if fault == "group-folder" else 0o777)
    done = with_bwrap(helper, farm, path)
    assert done.refused
    assert b"belongs" in done.err or b"others may write" in done.err


@pytest.mark.parametrize("reach", ("folder", "above", "file", "link"))
def test_a_bwrap_that_the_policy_makes_writable_is_refused(farm: Farm, helper: Helper, reach: str) -> None:
    path = sham(farm, 'exec /usr/bin/bwrap "$@"')
    assert with_bwrap(helper, farm, path).out == b"ran\n"
    granted = {"folder": "bin", "above": ".", "file": "bin/bwrap", "link": "ws"}[reach]
    if reach == "link":
        farm.folder("ws")
        path = farm.link("ws/bwrap", path)
    done = with_bwrap(helper, farm, path, rules=[("rw", farm.path(granted)), ("ro", farm.path("ws"))] if reach != "link"
                      else [("rw", farm.path("ws"))])  # fmt: skip
    assert done.refused
    assert not done.out


def test_a_strangers_bwrap_is_not_taken_from_path(farm: Farm, helper: Helper) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to a stranger")
    stranger = helper.caller.uid + 1
    os.chown(sham(farm, "echo sham; exit 0"), stranger, stranger)
    farm.folder("ws")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws"))])
    command = [
        word for word in helper.command(rules, [], ["/bin/echo", "ran"]) if word not in ("--bwrap", helper.bwrap)
    ]
    done = subprocess.run(
        command, capture_output=True, check=False, timeout=DEADLINE, **helper.caller.credentials(),
        env={"PATH": f"{farm.path('bin')}:relative:/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stdout == b"ran\n"
    nowhere = subprocess.run(
        command, capture_output=True, check=False, timeout=DEADLINE, **helper.caller.credentials(),
        env={"PATH": farm.path("bin")},
    )  # fmt: skip
    assert nowhere.returncode == 125
    assert b"none of root's or the caller's on PATH" in nowhere.stderr


def test_preflight_runs_nothing_and_agrees_with_a_run(farm: Farm, helper: Helper) -> None:
    farm.folder("ws")
    good = policy(farm.path("ws"), [("rw", farm.path("ws"))])
    bad = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", "/")])
    mark = farm.path("ws/mark")
    done = helper.run(good, "/usr/bin/touch", mark, options=["--check"])
    assert (done.status, done.out, done.err) == (0, b"", b"")
    assert not os.path.exists(mark)
    assert helper.run(good, options=["--check"]).status == 0
    assert helper.run(bad, options=["--check"]).refused
    assert helper.run(bad, "/usr/bin/touch", mark).err == helper.run(bad, options=["--check"]).err


def test_preflight_works_where_the_policy_hides_everything(farm: Farm, helper: Helper) -> None:
    farm.folder("ws")
    listed = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", farm.path("ws/x"))], reads="listed")
    assert helper.run(listed, options=["--check"]).status == 0


@pytest.mark.parametrize(
    ("limit", "name"),
    (("user", "a user"), ("mnt", "a mount"), ("net", "a network"), ("pid", "a pid"), ("ipc", "an IPC")),
)
def test_a_missing_namespace_is_a_refusal_that_names_it(farm: Farm, helper: Helper, limit: str, name: str) -> None:
    if helper.caller.uid != 0:
        pytest.skip("in a user namespace of a user, root's bwrap would look like nobody's")
    farm.folder("ws")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws"))])
    forbid = f'echo 0 > /proc/sys/user/max_{limit}_namespaces && exec "$@"'
    for options in ([], ["--check"]):
        start = helper.command(rules, options, ["/bin/echo", "ran"])
        done = subprocess.run(
            ["/usr/bin/unshare", "-Ur", "sh", "-c", forbid, "sh", *start],
            capture_output=True, check=False, timeout=DEADLINE, env=environment(), cwd="/",
        )  # fmt: skip
        assert done.returncode == 125
        assert b"refused: bwrap" in done.stderr
        assert f"{name} namespace is not to be had: ENOSPC".encode() in done.stderr
        assert not done.stdout


def test_a_bwrap_without_an_option_is_a_refusal_that_names_it(farm: Farm, helper: Helper) -> None:
    old = sham(farm, '[ "$1" = --help ] && /usr/bin/bwrap --help | grep -v seccomp; exit 1')
    assert b"it does not know --seccomp)" in with_bwrap(helper, farm, old).err


WRONG: dict[str, str | bytes] = {
    "empty": "",
    "no JSON": "{",
    "a list": "[]",
    "a number": "7",
    "not UTF-8": b"\xff",
    "deep": "[" * 100_000,
    "NaN": '{"cwd": NaN, "rules": []}',
    "no cwd": '{"rules": []}',
    "no rules": '{"cwd": "/"}',
    "unknown key": '{"cwd": "/", "rules": [], "mode": "x"}',
    "unknown nested key": '{"cwd": "/", "rules": [{"path": "/usr", "access": "ro", "glob": true}]}',
    "duplicate key": '{"cwd": "/", "cwd": "/", "rules": []}',
    "duplicate nested key": '{"cwd": "/", "rules": [{"path": "/usr", "path": "/etc", "access": "ro"}]}',
    "misspelt access": '{"cwd": "/", "rules": [{"path": "/usr", "access": "r0"}]}',
    "access in capitals": '{"cwd": "/", "rules": [{"path": "/usr", "access": "RO"}]}',
    "access missing": '{"cwd": "/", "rules": [{"path": "/usr"}]}',
    "path missing": '{"cwd": "/", "rules": [{"access": "ro"}]}',
    "relative path": '{"cwd": "/", "rules": [{"path": "usr", "access": "ro"}]}',
    "empty path": '{"cwd": "/", "rules": [{"path": "", "access": "ro"}]}',
    "home": '{"cwd": "/", "rules": [{"path": "~/x", "access": "ro"}]}',
    "relative cwd": '{"cwd": ".", "rules": []}',
    "NUL": '{"cwd": "/", "rules": [{"path": "/usr\\u0000x", "access": "ro"}]}',
    "lone surrogate": '{"cwd": "/", "rules": [{"path": "/\\ud800", "access": "ro"}]}',
    "path no string": '{"cwd": "/", "rules": [{"path": 1, "access": "ro"}]}',
    "rule no object": '{"cwd": "/", "rules": ["/usr"]}',
    "rules no list": '{"cwd": "/", "rules": {}}',
    "network no truth value": '{"cwd": "/", "rules": [], "network": 1}',
    "misspelt reads": '{"cwd": "/", "rules": [], "reads": "all"}',
    "reads no string": '{"cwd": "/", "rules": [], "reads": []}',
    "misspelt tmp": '{"cwd": "/", "rules": [], "tmp": "open"}',
    "line feed in a key": '{"cwd": "/", "rules": [], "a\\nb": 1}',
    "trailing": '{"cwd": "/", "rules": []} x',
}  # fmt: skip


@pytest.mark.parametrize("caller", ("user",), indirect=True)
@pytest.mark.parametrize("bwrap", ("system",), indirect=True)
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("options", ((), ("--check",)))
def test_a_wrong_policy_is_refused(helper: Helper, wrong: str, options: tuple[str, ...]) -> None:
    text = WRONG[wrong]
    path = helper.written(text if isinstance(text, bytes) else text.encode())
    done = helper.run(path, "/bin/echo", "ran", options=options)
    assert done.refused
    assert not done.out


@pytest.mark.parametrize("caller", ("user",), indirect=True)
@pytest.mark.parametrize("bwrap", ("system",), indirect=True)
def test_a_policy_file_that_cannot_be_read_is_refused(farm: Farm, helper: Helper) -> None:
    fifo, huge, closed = farm.path("fifo"), farm.file("huge"), farm.file("closed")
    os.mkfifo(fifo)
    os.truncate(huge, 1 << 40)
    os.chmod(closed, 0)
    for path in (fifo, huge, closed, farm.root, farm.path("missing"), "/dev/zero", "", "/" + "x" * 300):
        done = helper.run(path, "/bin/echo", "ran")
        assert done.refused, path
        assert not done.out


@pytest.mark.parametrize("caller", ("user",), indirect=True)
@pytest.mark.parametrize("bwrap", ("system",), indirect=True)
@pytest.mark.parametrize(
    "line", ("", "--", "-- true", "--policy", "--policy P", "--policy P --", "-x -- true", "--policy P true",
             "--policy=P -- true", "--check", "--chec --policy P", "--policy P --bwrap"),
)  # fmt: skip
def test_a_wrong_command_line_is_refused(farm: Farm, helper: Helper, line: str) -> None:
    path = helper.written(json.dumps(policy(farm.root, [])).encode())
    done = subprocess.run(
        [helper.interpreter, "-I", "-S", helper.code, *line.replace("P", path).split()],
        capture_output=True, check=False, timeout=DEADLINE, env=environment(),
    )  # fmt: skip
    assert done.returncode == 125
    assert done.stderr.count(b"\n") == 1
    assert b"usage: " in done.stderr


@pytest.mark.parametrize("start", ("folder", "file", "other-name", "archive"))
def test_it_runs_from_a_copy_under_any_name(farm: Farm, helper: Helper, start: str) -> None:
    farm.folder("ws")
    shutil.copytree(helper.code, farm.path("copy/boxproof/other"))
    code = {
        "folder": helper.code,
        "file": f"{helper.code}/__main__.py",
        "other-name": farm.path("copy/boxproof/other"),
        "archive": farm.path("copy.zip/boxproof/other"),
    }[start]
    shutil.make_archive(farm.path("copy"), "zip", farm.path("copy"))
    path = helper.written(json.dumps(policy(farm.path("ws"), [("rw", farm.path("ws"))])).encode())
    options, command = ["--policy", path, "--bwrap", helper.bwrap], ["/bin/echo", "ran"]
    done = subprocess.run(
        [helper.interpreter, "-W", "error", "-I", "-S", code, *options, "--", *command],
        capture_output=True, check=False, timeout=DEADLINE, env=environment(), cwd="/", **helper.caller.credentials(),
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (b"ran\n", b"")
