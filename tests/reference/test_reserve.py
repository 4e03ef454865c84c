# SPDX-License-Identifier: MIT
"""Denied names that do not exist, in a writable folder: impossible to make, and never seen on the host (MASK-4)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from boxproof.reference.workfolder import PLACES as WORK_PLACES

from .harness import DEADLINE, Farm, Helper, environment, policy

MAKE = r"""
cd "$1"; exec 2>/dev/null
echo bad > "$2"; mkdir -p "$2"; ln -s f "$2"; ln f "$2"; mknod "$2" p; mv f2 "$2"; rm -rf "$2"; cp f "$2"
python3 -c 'import ctypes, sys; ctypes.CDLL(None).renameat2(-100, b"f", -100, sys.argv[1].encode(), 2)' "$2"
cat "$2"; test -s "$2" && echo made
unshare -Urm sh -c 'umount -l "$1"; umount -l .; echo bad > "$1"' sh "$2"
echo end
"""

ORDINARY = r"""
set -e
cd "$1"; echo new > g; mv g h; ln h i; mkdir d; mv d e; rmdir e; rm i; ln -s h j; mknod p p; chmod 600 h; cat h
: > t; truncate -s 100 t; mv -f t h; mkdir -p x/y; echo deep > x/y/z; mv x w; echo end
"""


@pytest.mark.parametrize("name", ("missing", "a/b/missing", "odd,na:me=\\x", "dotted.", "missing/"))
@pytest.mark.parametrize("reads", ("everything", "listed"))
def test_the_name_cannot_be_made_and_the_host_never_shows_it(farm: Farm, helper: Helper, name: str, reads: str) -> None:
    farm.file("ws/f")
    farm.file("ws/f2")
    before = leftovers()
    rules = policy(farm.path("ws"), [("deny", farm.path(f"ws/{name}")), ("rw", farm.path("ws"))], reads=reads)
    done = helper.sh(rules, MAKE, farm.path("ws"), name.rstrip("/"))
    assert done.err == b""
    assert done.out == b"end\n"
    assert not os.path.lexists(farm.path(f"ws/{name.split('/', maxsplit=1)[0]}"))
    assert leftovers() <= before


def test_the_attempts_make_the_name_without_a_sandbox(farm: Farm, helper: Helper) -> None:
    farm.file("ws/f")
    assert helper.outside(MAKE, farm.path("ws"), "missing").out.endswith(b"made\nend\n")


def test_everything_else_in_the_folder_works_and_lands_on_the_host(farm: Farm, helper: Helper) -> None:
    farm.file("ws/f")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", farm.path("ws/missing"))])
    done = helper.sh(rules, ORDINARY, farm.path("ws"))
    assert (done.status, done.out, done.err) == (0, b"new\nend\n", b"")
    assert sorted(os.listdir(farm.path("ws"))) == ["f", "h", "j", "p", "w"]
    assert farm.read(farm.path("ws/w/y/z")) == b"deep"
    assert os.stat(farm.path("ws/h")).st_uid == helper.caller.uid


def test_the_name_is_not_on_the_host_while_the_command_runs(farm: Farm, helper: Helper) -> None:
    farm.folder("ws")
    before = leftovers()
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", farm.path("ws/missing"))])
    start = helper.command(rules, [], ["/bin/sh", "-c", "echo up; read line"])
    with subprocess.Popen(
        start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), cwd="/", **helper.caller.credentials()
    ) as running:
        assert running.stdout
        assert running.stdout.readline() == b"up\n"
        assert os.listdir(farm.path("ws")) == []
        assert leftovers() <= before
        running.communicate(b"\n", timeout=DEADLINE)
    assert os.listdir(farm.path("ws")) == []


def test_several_names_in_nested_folders(farm: Farm, helper: Helper) -> None:
    farm.file("ws/f")
    farm.file("ws/in/f")
    protected = farm.file("ws/in/kept")
    token = farm.read(protected)
    names = [farm.path(name) for name in ("ws/m1", "ws/m1/below", "ws/m2", "ws/in/m3", "ws/in/m3")]
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), *(("deny", name) for name in names), ("ro", protected)])
    script = 'for f; do echo bad > "$f"; mkdir "$f"; done; echo bad > in/kept; mv in out; echo new > in/new; echo end'
    done = helper.sh(rules, script, *names)
    assert done.out == b"end\n"
    assert sorted(os.listdir(farm.path("ws"))) == ["f", "in"]
    assert sorted(os.listdir(farm.path("ws/in"))) == ["f", "kept", "new"]
    assert farm.read(protected) == token


def test_through_a_link_that_the_command_cannot_rewrite(farm: Farm, helper: Helper) -> None:
    farm.folder("ws")
    farm.link("link", farm.path("ws/missing"))
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", farm.path("link"))])
    assert helper.sh(rules, 'echo bad > missing; echo bad > "$1"; echo end', farm.path("link")).out == b"end\n"
    assert os.listdir(farm.path("ws")) == []


def test_a_private_temp_folder_keeps_the_name_free_too(farm: Farm, helper: Helper) -> None:
    farm.folder("ws")
    name = f"/tmp/boxproof-{os.urandom(6).hex()}"  # noqa: S108 - must never come into being
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", name)], tmp="writable")
    done = helper.sh(rules, 'echo ok > /tmp/other && echo bad > "$1"; echo end', name)
    assert done.out == b"end\n"
    assert b"denied" in done.err
    assert not os.path.lexists(name)


def test_a_mount_in_the_folder_makes_it_a_refusal(farm: Farm, helper: Helper) -> None:
    if os.geteuid() != 0:
        pytest.skip("making a mount takes root")
    farm.folder("ws/mnt")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", farm.path("ws/missing"))])
    start = helper.command(rules, [], ["/bin/echo", "ran"])
    done = subprocess.run(
        ["/usr/bin/unshare", "-m", "sh", "-c", 'mount -t tmpfs t "$0" && exec "$@"', farm.path("ws/mnt"), *start],
        capture_output=True, check=False, timeout=DEADLINE,
    )  # fmt: skip
    assert done.returncode == 125
    assert b"a mount at" in done.stderr
    assert not done.stdout


def leftovers() -> set[str]:
    """Work folders whose maker, which is in their name, has gone; another test may be at work meanwhile."""
    found = [path for place in WORK_PLACES for path in Path(os.fsdecode(place)).glob(".boxproof-*")]
    return {str(path) for path in found if not os.path.exists(f"/proc/{path.name.split('-')[1]}")}
