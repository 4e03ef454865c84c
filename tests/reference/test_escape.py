# SPDX-License-Identifier: MIT
"""Nothing outside is written, nothing read-only inside is replaced, and the host stays as it was (ESC, HOST)."""

from __future__ import annotations

import os

import pytest

from .harness import CROSSED, Farm, Helper, policy

CHANGES = {
    "write": 'echo bad > "$1/f"',
    "append": 'echo bad >> "$1/f"',
    "truncate": 'truncate -s 0 "$1/f"',
    "create": 'echo bad > "$1/new"',
    "mkdir": 'mkdir "$1/new"',
    "remove": 'rm -f "$1/f"',
    "rename": 'mv "$1/f" "$1/g"',
    "rename-in": 'echo bad > x; mv x "$1/x"',
    "rename-out": 'mv "$1/f" stolen',
    "link-in": 'echo bad > y; ln y "$1/y"',
    "link-out": 'ln "$1/f" hard && echo bad > hard',
    "chmod": 'chmod 777 "$1/f"',
}
"""Shell commands that change the folder `$1`; the working folder is writable."""

REPLACE = {
    "write": "echo bad > kept",
    "remove": "rm -f kept; echo bad > kept",
    "rename": "mv kept away; echo bad > kept",
    "rename-over": "echo bad > x; mv -f x kept",
    "link-over": "echo bad > x; ln -sf x kept",
    "hard-link": "ln kept hard; echo bad > hard",
    "exchange": 'echo bad > x; python3 -c \'import ctypes; ctypes.CDLL(None).renameat2(-100, b"x", -100, b"kept", 2)\'',
    "parent": "cd ..; mv in out; mkdir in; echo bad > in/kept",
    "grandparent": "cd ../..; mv deep gone; mkdir -p deep/in; echo bad > deep/in/kept",
    "exchange-parent": "cd ..; mkdir z; echo bad > z/kept; "
    'python3 -c \'import ctypes; ctypes.CDLL(None).renameat2(-100, b"in", -100, b"z", 2)\'',
    "remount": "unshare -Urm sh -c 'mount -o remount,rw,bind kept; umount -l kept; echo bad > kept'",
}
"""Ways to put something else at the name ``kept``, with its folder as the working folder."""


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("made", ("before", "inside"))
@pytest.mark.parametrize("text", ("absolute", "relative"))
def test_no_change_outside_through_a_link(farm: Farm, helper: Helper, change: str, made: str, text: str) -> None:
    farm.file("ws/w")
    farm.file("out/f")
    farm.file("control/f")
    target = farm.path("out") if text == "absolute" else "../out"
    if made == "before":
        farm.link("ws/way", target)
    before = {path: facts for path, facts in farm.listing().items() if path.startswith(farm.path("out"))}
    script = f'cd "$3"; test -h way || ln -s "$2" way; {{ {CHANGES[change]}; }} 2>/dev/null; echo end'
    done = helper.sh(policy(farm.path("ws"), [("rw", farm.path("ws"))]), script, "way", target, farm.path("ws"))
    assert done.out == b"end\n"
    assert {path: facts for path, facts in farm.listing().items() if path.startswith(farm.path("out"))} == before
    control = {path: facts for path, facts in farm.listing().items() if path.startswith(farm.path("control"))}
    helper.outside(script, farm.path("control"), "x", farm.path("ws"))
    assert {p: facts for p, facts in farm.listing().items() if p.startswith(farm.path("control"))} != control


@pytest.mark.parametrize("way", REPLACE)
@pytest.mark.parametrize("access", ("ro", "deny"))
def test_a_restricted_name_in_a_writable_folder_cannot_be_replaced(
    farm: Farm, helper: Helper, way: str, access: str
) -> None:
    kept, control = farm.file("ws/deep/in/kept"), farm.file("control/deep/in/kept")
    token = farm.read(kept)
    script = f'cd "$1"; {{ {REPLACE[way]}; }} 2>/dev/null; echo end'
    done = helper.sh(
        policy(farm.path("ws"), [("rw", farm.path("ws")), (access, kept)]), script, farm.path("ws/deep/in")
    )
    assert done.out == b"end\n"
    assert farm.read(kept) == token
    helper.outside(script, farm.path("control/deep/in"))
    if way != "remount":
        assert farm.read(control) == b"bad"


def test_pinned_folders_are_otherwise_ordinary(farm: Farm, helper: Helper) -> None:
    kept = farm.file("ws/deep/in/kept")
    done = helper.sh(
        policy(farm.path("ws"), [("rw", farm.path("ws")), ("ro", kept)]),
        "cd deep/in && echo new > f && mv f g && mkdir d && rmdir d && cp g ../copy && cat kept && echo end",
    )
    assert done.out == farm.read(kept) + b"\nend\n"
    assert farm.read(farm.path("ws/deep/copy")) == b"new"


def test_a_denied_folder_survives_removal_and_renaming(farm: Farm, helper: Helper) -> None:
    secret = farm.file("ws/a/d/secret")
    token = farm.read(secret)
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", farm.path("ws/a/d"))])
    script = "{ mv a/d x; rm -rf a; mv a b; cat */*/secret */secret; echo bad > a/d/secret; } 2>/dev/null; echo end"
    assert helper.sh(rules, script).out == b"end\n"
    assert farm.read(secret) == token


@pytest.mark.parametrize("tmp", ("closed", "writable"))
def test_the_temp_folder_of_the_host_is_not_written(farm: Farm, helper: Helper, tmp: str) -> None:
    farm.folder("ws")
    own = farm.folder("temp")
    name = f"boxproof-{os.urandom(6).hex()}"
    script = '{ echo bad > "/tmp/$1"; echo bad > "$TMPDIR/$1"; cat "/tmp/$1" "$TMPDIR/$1"; } 2>/dev/null; echo end'
    done = helper.sh(
        policy(farm.path("ws"), [("rw", farm.path("ws"))], tmp=tmp), script, name,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": own},
    )  # fmt: skip
    assert done.out == (b"end\n" if tmp == "closed" else b"bad\nbad\nend\n")
    assert not os.path.exists(f"/tmp/{name}")  # noqa: S108 - the point is that nothing is there
    assert os.listdir(own) == []


def test_a_temp_folder_below_the_usual_one_exists_in_the_private_one(farm: Farm, helper: Helper) -> None:
    farm.folder("ws")
    done = helper.sh(
        policy(farm.path("ws"), [("rw", farm.path("ws"))], tmp="writable"), 'echo ok > "$TMPDIR/f"; cat "$TMPDIR/f"',
        env={"PATH": "/usr/bin:/bin", "TMPDIR": "/tmp/../tmp/."},  # noqa: S108 - a spelling of the usual folder
    )  # fmt: skip
    assert done.out == b"ok\n"


def test_a_rule_governs_the_temp_folder_before_the_private_one_does(farm: Farm, helper: Helper) -> None:
    own = farm.folder("ws/temp")
    done = helper.sh(
        policy(farm.path("ws"), [("rw", farm.path("ws"))], tmp="writable"), 'echo ok > "$TMPDIR/f"',
        env={"PATH": "/usr/bin:/bin", "TMPDIR": own},
    )  # fmt: skip
    assert done.status == 0
    assert farm.read(f"{own}/f") == b"ok"


@pytest.mark.parametrize("end", ("exit", "refusal"))
def test_the_host_is_as_it_was(farm: Farm, helper: Helper, end: str) -> None:
    kept = farm.file("ws/deep/kept")
    farm.link("link", farm.path("ws"))
    farm.link("ws/inner", "deep")
    before = farm.listing()
    rules = [
        ("rw", farm.path("link")),
        ("ro", kept),
        ("deny", farm.path("ws/deep")),
        ("deny", farm.path("ws/new/name")),
    ]
    if end == "refusal":
        rules.append(("ro", farm.path("ws/inner")))
    done = helper.sh(policy(farm.path("ws"), rules), "exit 3")
    assert done.status == (3 if end == "exit" else 125)
    assert farm.listing() == before
