# SPDX-License-Identifier: MIT
"""Names that change hands between the policy's reading and the command's first instruction (RACE-1).

A stand-in for bwrap makes the swap and then becomes the real one, so that each race is lost every time.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from boxproof.reference.refusal import REFUSED

from .harness import CROSSED, Farm, Helper, Outcome, policy

LOOK = 'find -P "$1" -type f -exec cat {} +; for f in o v/f; do cat "$1/$f"; echo bad > "$1/$f"; done; exit 0'
"""Reads every file of the farm by its own name, then reads and writes the ruled spellings."""

RENAME_EXCHANGE = 2
AT_FDCWD = -100
ROUNDS = 20
"""Of each race that is not lost every time."""


@attrs.frozen
class Swap:
    """A race: shell commands in the farm, and what the rule under attack is about."""

    name: str
    commands: str
    spelling: str


GRANTS = (
    Swap("file-by-file", "mv o o.old; mv other.f o", "o"),
    Swap("file-by-relative-link", "mv o o.old; ln -s other.f o", "o"),
    Swap("file-by-absolute-link", 'mv o o.old; ln -s "$PWD/other.f" o', "o"),
    Swap("folder-by-folder", "mv v v.old; mv other v", "v"),
    Swap("folder-by-relative-link", "mv v v.old; ln -s other v", "v"),
    Swap("folder-by-absolute-link", 'mv v v.old; ln -s "$PWD/other" v', "v"),
    Swap("parent-by-folder", "mv v v.old; mv other v", "v/f"),
    Swap("parent-by-link", "mv v v.old; ln -s other v", "v/f"),
)
DENIES = (
    Swap("leaf-moved", "mv o moved; echo decoy > o", "o"),
    Swap("leaf-exchanged", "mv o moved; mv other.f o", "o"),
    Swap("leaf-by-link", "mv o moved; ln -s other.f o", "o"),
    Swap("folder-moved", "mv v moved; mkdir v", "v"),
    Swap("folder-by-link", "mv v moved; ln -s other v", "v"),
    Swap("parent-moved", "mv v moved; mkdir v; echo decoy > v/f", "v/f"),
    Swap("parent-by-link", "mv v moved; ln -s other v", "v/f"),
    Swap("link-to-file", "rm l; ln -s other.f l", "l"),
    Swap("link-to-folder", "rm m; ln -s other m", "m"),
    Swap("link-on-the-way", "rm m; ln -s other m", "m/f"),
)


def scene(farm: Farm) -> None:
    """The attacked objects ``o`` and ``v/f``, links to both, what is swapped in, and the working folder."""
    for name in ("o", "v/f", "other.f", "other/f", "ws/f"):
        farm.file(name)
    farm.link("l", "o")
    farm.link("m", "v")


def raced(farm: Farm, helper: Helper, commands: str, rules: list[tuple[str, str]], **more: object) -> Outcome:
    """Launch with a bwrap that changes the farm first."""
    shim = farm.file("bin/bwrap", mode=0o755)
    text = f'#!/bin/sh\n(cd "{farm.root}" && {commands})\nexec "{helper.bwrap}" "$@"\n'
    Path(shim).write_text(text, encoding="utf-8")
    given = policy(farm.path("ws"), [(access, farm.path(name)) for access, name in rules], **more)
    return attrs.evolve(helper, bwrap=shim).sh(given, LOOK, farm.root)


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("access", ("ro", "rw"))
@pytest.mark.parametrize("swap", GRANTS, ids=lambda swap: swap.name)
def test_a_grant_never_reaches_what_was_swapped_in(farm: Farm, helper: Helper, swap: Swap, access: str) -> None:
    scene(farm)
    secrets = [farm.read(farm.path(name)) for name in ("other.f", "other/f")]
    rules = [(access, swap.spelling), ("ro", "ws")]
    control = raced(farm, helper, ":", rules, reads="listed")
    assert (control.status, control.refused) == (0, False)
    done = raced(farm, helper, swap.commands, rules, reads="listed")
    assert done.refused
    assert not [secret for secret in secrets if secret in done.out]
    content = [path.read_bytes().strip() for path in Path(farm.root).rglob("*f") if path.is_file()]
    content += [path.read_bytes().strip() for path in (Path(farm.path("o")),) if path.is_file()]
    assert set(secrets) <= set(content)


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("reads", ("everything", "listed"))
@pytest.mark.parametrize("swap", DENIES, ids=lambda swap: swap.name)
def test_what_a_deny_named_at_launch_stays_denied(farm: Farm, helper: Helper, swap: Swap, reads: str) -> None:
    scene(farm)
    secret = farm.read(farm.path("o" if swap.spelling in {"o", "l"} else "v/f"))
    rules = [("deny", swap.spelling), ("ro", "."), ("rw", "ws")]
    control = raced(farm, helper, ":", rules, reads=reads)
    assert (control.status, secret in control.out) == (0, False)
    assert farm.read(farm.path("ws/f")) in control.out
    done = raced(farm, helper, swap.commands, rules, reads=reads)
    assert done.refused or farm.read(farm.path("ws/f")) in done.out
    assert secret not in done.out


@contextlib.contextmanager
def exchanging(one: str, other: str) -> Iterator[None]:
    """Two names that keep changing places meanwhile."""
    stop, library = threading.Event(), ctypes.CDLL(None, use_errno=True)

    def exchange() -> None:
        while not stop.is_set():
            library.renameat2(AT_FDCWD, one.encode(), AT_FDCWD, other.encode(), RENAME_EXCHANGE)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize(("one", "other", "spelling"), (("o", "other.f", "o"), ("v", "other", "v/f")))
def test_one_of_two_names_that_keep_changing_places_stays_denied(
    farm: Farm, helper: Helper, one: str, other: str, spelling: str
) -> None:
    scene(farm)
    names = [farm.path(spelling), farm.path(spelling.replace(one, other, 1))]
    tokens = [farm.read(name) for name in names]
    given = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", farm.path(spelling))])
    for _ in range(ROUNDS):
        with exchanging(farm.path(one), farm.path(other)):
            done = helper.sh(given, 'for n in 1 2 3 4 5; do cat "$@"; done; echo end', *names)
        assert done.status == REFUSED or done.out.endswith(b"end\n")
        assert not all(token in done.out for token in tokens)


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
def test_a_reserved_name_is_written_in_neither_of_two_folders_that_keep_changing_places(
    farm: Farm, helper: Helper
) -> None:
    scene(farm)
    given = policy(farm.path("ws"), [("rw", farm.path("v")), ("rw", farm.path("ws")), ("deny", farm.path("v/missing"))])
    for _ in range(ROUNDS):
        with exchanging(farm.path("v"), farm.path("other")):
            done = helper.sh(given, 'echo bad > "$1/missing"; mkdir "$1/missing"; echo end', farm.path("v"))
        assert done.status == REFUSED or done.out == b"end\n"
        made = [Path(farm.path(name)) for name in ("v/missing", "other/missing")]
        assert not [path for path in made if path.is_dir() or (path.exists() and path.read_bytes())]
