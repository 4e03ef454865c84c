# SPDX-License-Identifier: MIT
"""Denied is denied, also for names that do not exist and against a command that fights back (MASK)."""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from .harness import CROSSED, Farm, Helper, policy
from .test_bind import LINKS, spelled

ATTACKS = {
    "rename": "mv secret moved; cat moved",
    "rename-over": "echo decoy > decoy; mv -f decoy secret; cat secret hard-before",
    "hard-link": "ln secret hard; cat hard",
    "soft-link": "ln -s secret soft; cat soft",
    "copy": "cp secret copy; cat copy",
    "remove": "rm -f secret; cat secret hard-before",
    "rename-parent": "mv in out; cat out/secret",
    "replace-parent": "mv in out && mkdir in; cat in/secret out/secret",
    "exchange": 'python3 -c \'import ctypes; ctypes.CDLL(None).renameat2(-100, b"secret", -100, b"f", 2)\'; cat f',
    "exchange-parent": 'python3 -c \'import ctypes; ctypes.CDLL(None).renameat2(-100, b"in", -100, b"other", 2)\'; '
    "cat other/secret in/secret",
    "unmount": "unshare -Urm sh -c 'umount secret; umount -l in/secret; cat secret in/secret'",
    "bind": "mkdir m; unshare -Urm sh -c 'mount --bind . m; cat m/secret m/in/secret'; cat secret",
    "rbind": "mkdir m; unshare -Urm sh -c 'mount --rbind . m; umount -l m/secret; cat m/secret'; cat secret",
    "proc-root": "cat /proc/self/root/$PWD/secret /proc/1/root/$PWD/secret /proc/self/cwd/secret",
    "long-way": "cat ./in/../secret ../ws/secret",
}
"""What a command may try in its writable folder; each shows the content where nothing stops it."""


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("reads", ("everything", "listed"))
@pytest.mark.parametrize("kind", ("file", "folder"))
@pytest.mark.parametrize("shape", LINKS)
def test_a_deny_through_links_hides_the_object_under_every_spelling(
    farm: Farm, helper: Helper, shape: str, kind: str, reads: str
) -> None:
    secret, twin = farm.file("real/d/f"), farm.file("real/d2/f")
    token, control = farm.read(secret), farm.read(twin)
    farm.file("ws/f")
    name = spelled(farm, shape, "real/d" if kind == "folder" else "real/d/f")
    probe = f"{name}/f" if kind == "folder" else name
    rules = policy(farm.path("ws"), [("deny", name), ("rw", farm.path("ws")), ("ro", farm.path("real"))], reads=reads)
    done = helper.sh(rules, 'cat -- "$@"; echo bad > "$1"; echo bad > "$2"; echo end', secret, probe, twin)
    assert helper.outside('cat -- "$@"', secret, probe).out.count(token) == 2
    assert token not in done.out
    assert control in done.out
    assert done.out.endswith(b"end\n")
    assert farm.read(secret) == token


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("where", ("ws", "other"))
def test_one_object_denied_by_several_names(farm: Farm, helper: Helper, order: tuple[int, ...], where: str) -> None:
    secret = farm.file(f"{where}/d/secret")
    token = farm.read(secret)
    farm.folder("ws")
    farm.link("alias", farm.path(f"{where}/d"))
    inner = farm.link(f"{where}/d/self", "secret") if where == "other" else farm.link("outer", secret)
    names = [secret, farm.path("alias/secret"), inner]
    denies = [("deny", names[place]) for place in order]
    done = helper.sh(policy(farm.path("ws"), [*denies, ("rw", farm.path("ws"))]), 'cat -- "$@"; echo end', *names)
    assert done.out == b"end\n"
    assert helper.outside('cat -- "$@"', *names).out.count(token) == 3


def test_hard_links_are_ruled_by_their_own_names(farm: Farm, helper: Helper) -> None:
    one = farm.file("ws/one")
    token = farm.read(one)
    for name in ("two", "three"):
        os.link(one, farm.path(f"ws/{name}"))
    names = [one, farm.path("ws/two"), farm.path("ws/three")]
    rules = [("rw", farm.path("ws"))]
    all_denied = policy(farm.path("ws"), rules + [("deny", name) for name in names])
    assert helper.sh(all_denied, 'cat -- "$@"; echo end', *names).out == b"end\n"
    mixed = policy(farm.path("ws"), [*rules, ("deny", names[0]), ("ro", names[1])])
    assert helper.sh(mixed, 'cat "$2" "$3"; echo new > "$3"', *names).out.count(token) == 2
    assert farm.read(names[2]) == b"new"


def test_nothing_below_a_denied_folder_is_readable(farm: Farm, helper: Helper) -> None:
    secret, linked = farm.file("ws/in/d/secret"), farm.file("ws/free")
    farm.link("ws/in/way", farm.path("ws/free"))
    farm.link("ws/back", "in/d")
    rules = policy(
        farm.path("ws"), [("rw", farm.path("ws")), ("deny", farm.path("ws/in")), ("rw", farm.path("ws/in/d"))]
    )
    probes = [secret, farm.path("ws/back/secret"), farm.path("ws/in/../in/d/secret")]
    done = helper.sh(rules, 'cat -- "$@"; cat free; echo end', *probes)
    assert done.out == farm.read(linked) + b"\nend\n"
    assert helper.outside('cat -- "$@"', *probes).out.count(farm.read(secret)) == 3


@pytest.mark.parametrize("kind", ("fifo", "socket"))
def test_a_denied_socket_or_fifo_cannot_be_opened(farm: Farm, helper: Helper, kind: str) -> None:
    path = farm.path("ws/thing")
    farm.folder("ws")
    farm.socket("ws/thing") if kind == "socket" else os.mkfifo(path)
    done = helper.sh(
        policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", path)]), 'test -p "$1" -o -S "$1" || echo no', path
    )
    assert done.out == b"no\n"


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_from_inside_yields_denied_content(farm: Farm, helper: Helper, attack: str) -> None:
    tokens = {}
    for place in ("ws", "control/ws"):
        files = [farm.file(f"{place}/{name}") for name in ("secret", "in/secret", "f", "other/f")]
        tokens[place] = {path: farm.read(path) for path in files[:2]}
    os.link(farm.path("control/ws/secret"), farm.path("control/ws/hard-before"))
    script = f'cd "$1" && {{ {ATTACKS[attack]}; }} 2>/dev/null; echo end'
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), *(("deny", path) for path in tokens["ws"])])
    done = helper.sh(rules, script, farm.path("ws"))
    control = helper.outside(script, farm.path("control/ws"))
    assert any(token in control.out for token in tokens["control/ws"].values())
    assert done.out.endswith(b"end\n")
    for path, token in tokens["ws"].items():
        assert token not in done.out
        assert farm.read(path) == token
        assert [name for name, (*_, content) in farm.listing().items() if token in content] == [path]


@pytest.mark.parametrize("access", ("ro", "rw", "deny"))
@pytest.mark.parametrize("shape", ("link", "chain", "linked-parent", "inward"))
def test_a_rule_through_a_rewritable_link_is_refused(farm: Farm, helper: Helper, access: str, shape: str) -> None:
    farm.file("other/f")
    farm.folder("ws/deep")
    farm.folder("ws/in")
    farm.file("ws/in/f")
    farm.link("ws/deep/link", "../in" if shape == "inward" else farm.path("other"))
    name = farm.link("outer", "ws/deep/link") if shape == "chain" else farm.path("ws/deep/link")
    name += "/f" if shape == "linked-parent" else ""
    done = helper.sh(policy(farm.path("ws"), [("rw", farm.path("ws")), (access, name)]), "echo ran")
    assert done.refused
    assert not done.out


def test_a_second_run_gains_nothing_from_what_the_first_left(farm: Farm, helper: Helper) -> None:
    secret = farm.file("other/secret")
    token = farm.read(secret)
    farm.file("ws/sub/f")
    rules = policy(
        farm.path("ws"), [("ro", farm.path("ws")), ("rw", farm.path("ws/sub")), ("rw", farm.path("ws/sub/new"))]
    )
    helper.sh(rules, 'ln -s "$1" sub/new', farm.path("other"))
    done = helper.sh(rules, 'echo bad > "$1"; cat -- "$1"', secret)
    assert done.refused
    assert farm.read(secret) == token


def test_climbing_out_of_a_folder_that_the_command_can_make_is_refused(farm: Farm, helper: Helper) -> None:
    token = farm.read(farm.file("other"))
    farm.folder("ws")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("rw", farm.path("ws/new/../../other"))])
    assert helper.sh(rules, "mkdir new").status == 0
    assert helper.sh(rules, 'echo bad > "$1"', farm.path("other")).refused
    assert farm.read(farm.path("other")) == token


def submount(farm: Farm, helper: Helper, script: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell script as root in a mount namespace of its own: `$1` is the farm."""
    if os.geteuid() != 0:
        pytest.skip("making a mount takes root")
    del helper
    return subprocess.run(
        ["/usr/bin/unshare", "-m", "sh", "-c", script, "sh", farm.root], capture_output=True, check=False, timeout=60
    )


@pytest.mark.parametrize("access", ("deny", "ro"))
@pytest.mark.parametrize("spelling", ("one", "two"))
def test_a_second_mount_of_a_folder_is_a_spelling_of_it(farm: Farm, helper: Helper, access: str, spelling: str) -> None:
    token = farm.read(farm.file("one/in/f"))
    farm.folder("two")
    rules = policy(farm.root, [("rw", farm.root), (access, farm.path(f"{spelling}/in"))])
    start = helper.command(rules, [], ["/bin/sh", "-c", 'for f; do cat "$f"; echo bad > "$f"; done; echo end', "sh",
                                       farm.path("one/in/f"), farm.path("two/in/f")])  # fmt: skip
    become = [] if helper.caller.uid == 0 else [
        "setpriv", f"--reuid={helper.caller.uid}", f"--regid={helper.caller.uid}", "--clear-groups"]  # fmt: skip
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in become + start)
    done = submount(farm, helper, f'mount --bind "$1/one" "$1/two" && {quoted}')
    assert done.stdout.endswith(b"end\n"), done.stderr
    assert done.stdout.count(token) == (0 if access == "deny" else 2)
    assert farm.read(farm.path("one/in/f")) == token


@pytest.mark.parametrize("access", ("deny", "ro"))
def test_what_is_mounted_in_a_folder_follows_its_rule(farm: Farm, helper: Helper, access: str) -> None:
    farm.file("d/sub/f")
    farm.folder("ws")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), (access, farm.path("d"))])
    probe = ["/bin/sh", "-c", 'cat "$1/g"; echo bad > "$1/g"; echo end', "sh", farm.path("d/sub")]
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in helper.command(rules, [], probe))
    prepare = 'mount -t tmpfs t "$1/d/sub" && echo inner > "$1/d/sub/g" && chmod 666 "$1/d/sub/g"'
    script = f'{prepare} && {quoted}; cat "$1/d/sub/g"'
    done = submount(farm, helper, script)
    assert done.stdout.count(b"inner") == (1 if access == "deny" else 2), done.stderr
    assert b"end" in done.stdout
    assert b"bad" not in done.stdout


@pytest.mark.parametrize(
    "path",
    ("/", "/..", "/proc", "/proc/1/environ", "/proc/self/exe", "/dev", "/dev/null", "{}/ws/file/x", "{}/ws/loop",
     "{}/ws/missing/../x", "{}/ws/dangling", "/dev/fd/0"),
)  # fmt: skip
def test_a_deny_that_cannot_be_enforced_is_refused(farm: Farm, helper: Helper, path: str) -> None:
    farm.file("ws/file")
    farm.link("ws/loop", "loop")
    farm.link("ws/dangling", "nowhere")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", path.format(farm.root))])
    done = helper.sh(rules, "echo ran")
    assert done.refused
    assert not done.out


def test_a_deny_behind_an_unreadable_writable_folder_is_refused_or_in_force(farm: Farm, helper: Helper) -> None:
    secret = farm.file("ws/locked/secret")
    token = farm.read(secret)
    os.chmod(farm.path("ws/locked"), 0)
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", secret)])
    done = helper.sh(rules, 'chmod 755 locked; cat "$1"; echo end', secret)
    Path(farm.path("ws/locked")).chmod(0o755)
    assert done.refused == (helper.caller.uid != 0)
    assert token not in done.out


@pytest.mark.parametrize("name", ("missing", "file/x", "loop", "dangling", "missing/../x", "n" * 256))
@pytest.mark.parametrize("reads", ("everything", "listed"))
def test_a_missing_name_that_nothing_can_make_does_not_stop_the_start(
    farm: Farm, helper: Helper, name: str, reads: str
) -> None:
    farm.file("file")
    farm.folder("ws")
    farm.link("loop", "loop")
    farm.link("dangling", "nowhere")
    before = farm.listing()
    done = helper.sh(
        policy(farm.path("ws"), [("deny", farm.path(name)), ("rw", farm.path("ws"))], reads=reads), "echo end"
    )
    assert (done.out, done.err) == (b"end\n", b"")
    assert farm.listing() == before
