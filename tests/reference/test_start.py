# SPDX-License-Identifier: MIT
"""A valid policy starts, and entries that lead nowhere do not stop it (START)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from .harness import CROSSED, Farm, Helper, policy

READ = 'cat -- "$1"; echo; echo end'


def test_reads_everything_and_writes_only_where_a_rule_says(farm: Farm, helper: Helper) -> None:
    inside, outside = farm.file("ws/f"), farm.file("other/f")
    before = farm.read(outside)
    done = helper.sh(
        policy(farm.path("ws"), [("rw", farm.path("ws"))]),
        'cat -- "$2"; echo new > "$1"; echo bad > "$2"; touch "$3"; echo end',
        inside, outside, farm.path("other/new"),
    )  # fmt: skip
    assert done.status == 0
    assert before in done.out
    assert done.out.endswith(b"end\n")
    assert farm.read(inside) == b"new"
    assert farm.read(outside) == before
    assert not os.path.exists(farm.path("other/new"))


def test_listed_reads_show_only_rules_and_the_system(farm: Farm, helper: Helper) -> None:
    shown, hidden = farm.file("a/f"), farm.file("b/f")
    rules = policy(farm.path("a"), [("ro", farm.path("a"))], reads="listed")
    done = helper.sh(rules, 'cat -- "$1" "$2"; touch "$1" /new /usr/new; ls /; echo end', shown, hidden)
    assert farm.read(shown) in done.out
    assert farm.read(hidden) not in done.out
    assert done.out.endswith(b"end\n")
    assert helper.outside('cat -- "$1"', hidden).out.strip() == farm.read(hidden)
    assert b"root" not in done.out.split()
    assert done.err.count(b"Read-only file system") == 3


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("access", ("ro", "rw"))
@pytest.mark.parametrize("shape", ("dangling", "loop", "missing", "dangling-parent", "file-as-folder", "locked-parent"))
@pytest.mark.parametrize("reads", ("everything", "listed"))
def test_an_entry_that_leads_nowhere_is_dropped(
    farm: Farm, helper: Helper, shape: str, access: str, reads: str
) -> None:
    kept = farm.file("ws/f")
    farm.link("dangling", farm.path("nowhere"))
    farm.link("loop", "loop")
    farm.file("file")
    farm.file("locked/f")
    os.chmod(farm.path("locked"), 0)
    tail = {"dangling-parent": "dangling/f", "file-as-folder": "file/f", "locked-parent": "locked/f"}.get(shape, shape)
    before = farm.listing() if helper.caller.uid == 0 else {}
    rules = policy(farm.path("ws"), [(access, farm.path(tail)), ("rw", farm.path("ws"))], reads=reads)
    done = helper.sh(rules, READ, kept)
    assert (done.status, done.err) == (0, b"")
    assert farm.read(kept) in done.out
    assert not before or farm.listing() == before


def test_an_unreadable_folder_that_could_be_opened_becomes_read_only(farm: Farm, helper: Helper) -> None:
    kept, locked = farm.file("ws/locked/f"), farm.path("ws/locked")
    before = farm.read(kept)
    os.chmod(locked, 0)
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("ro", kept)])
    done = helper.sh(rules, 'chmod 700 "$1"; echo bad > "$2"; echo end', locked, kept)
    Path(locked).chmod(0o755)
    assert done.out == b"end\n"
    assert farm.read(kept) == before


def test_odd_things_in_an_allowed_folder_are_left_alone(farm: Farm, helper: Helper) -> None:
    kept = farm.file("ws/f")
    farm.link("ws/dangling", "/nowhere/at/all")
    farm.link("ws/foreign", "/etc/passwd")
    farm.socket("ws/socket")
    os.mkfifo(farm.path("ws/fifo"))
    done = helper.sh(policy(farm.path("ws"), [("rw", farm.path("ws"))]), READ, kept)
    assert farm.read(kept) in done.out


def test_a_thousand_rules_start_and_are_in_force(farm: Farm, helper: Helper) -> None:
    rules = [("rw", farm.path("ws"))]
    for number in range(500):
        rules += [("deny", farm.file(f"ws/d{number}")), ("ro", farm.file(f"ws/r{number}"))]
    started = time.monotonic()
    done = helper.sh(policy(farm.path("ws"), rules), "cat d0 d250 d499; echo bad > r499; echo end")
    assert time.monotonic() - started < 30
    assert done.out == b"end\n"
    assert farm.read(farm.path("ws/r499")) != b"bad"


def test_more_rules_than_bwrap_takes_are_refused_with_their_number(farm: Farm, helper: Helper) -> None:
    rules = [("rw", farm.path("ws"))]
    rules += [("deny", farm.file(f"ws/d{number}")) for number in range(3000)]
    done = helper.sh(policy(farm.path("ws"), rules), "echo ran")
    assert done.refused
    assert b"ran" not in done.out
    assert b"90" in done.err
