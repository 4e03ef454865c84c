# SPDX-License-Identifier: MIT
"""SIGKILL of the helper at any moment: no process, no mount, no folder is left a second later (HOST-2, HOST-3)."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from boxproof.reference.workfolder import PLACES, PREFIX

from .harness import CROSSED, DEADLINE, Farm, Helper, environment, policy

KILLS = 150
"""For each of two callers; together the 300 that the sweep is meant to have."""

GRACE = 1.0
"""Seconds that everything has to be gone in."""

MARK = "BOXPROOF_TEST_MARK"


def marked(mark: str) -> list[str]:
    """Every process that lives and has the mark in its environment, whatever it is called by now."""
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and has_mark(pid, mark)]


def has_mark(pid: str, mark: str) -> bool:
    try:
        return f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def work_folders() -> set[str]:
    return {f"{place}/{name}" for place in map(os.fsdecode, PLACES) for name in os.listdir(place)
            if os.fsencode(name).startswith(PREFIX)}  # fmt: skip


def gone_in_time(mark: str) -> bool:
    """Whether no marked process is left a second from now."""
    end = time.monotonic() + GRACE
    pause = threading.Event()
    while marked(mark) and time.monotonic() < end:
        pause.wait(0.01)
    return not marked(mark)


def duration(helper: Helper, start: list[str]) -> float:
    """Seconds from the start of the helper to the command's first word."""
    began = time.monotonic()
    with subprocess.Popen(
        start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), cwd="/", **helper.caller.credentials()
    ) as running:
        assert running.stdout
        assert running.stdout.readline() == b"up\n"
        taken = time.monotonic() - began
        running.communicate(timeout=DEADLINE)
    return taken


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
def test_a_sigkill_at_any_moment_leaves_nothing(farm: Farm, helper: Helper) -> None:
    farm.file("ws/kept")
    rules = policy(farm.path("ws"), [("rw", farm.path("ws")), ("ro", farm.path("ws/kept"))])
    reserving = policy(farm.path("ws"), [("rw", farm.path("ws")), ("deny", farm.path("ws/missing"))])
    command = ["/bin/sh", "-c", "echo up; read line"]
    starts = [helper.command(rules, [], command), helper.command(reserving, [], command)]
    before, folders = farm.listing(), work_folders()
    longest = 1.3 * max(duration(helper, start) for start in starts)
    draw = random.Random(20)  # noqa: S311 - reproducible, not secret
    left = [offset for offset in (draw.uniform(0, longest) for _ in range(KILLS))
            if not killed_at(helper, draw.choice(starts), offset)]  # fmt: skip
    assert left == []
    assert farm.listing() == before
    assert farm.root not in Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    assert not [folder for folder in work_folders() - folders if not os.path.exists(f"/proc/{folder.split('-')[1]}")]


def killed_at(helper: Helper, start: list[str], offset: float) -> bool:
    """Kill the helper so many seconds after its start; whether everything of it was gone in time."""
    mark = os.urandom(8).hex()
    with subprocess.Popen(
        start, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
        env=environment() | {MARK: mark}, **helper.caller.credentials(),
    ) as running:  # fmt: skip
        threading.Event().wait(offset)
        running.send_signal(signal.SIGKILL)
        running.wait(DEADLINE)
        try:
            return gone_in_time(mark)
        finally:
            for pid in marked(mark):
                os.kill(int(pid), signal.SIGKILL)
