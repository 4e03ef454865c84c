# SPDX-License-Identifier: MIT
"""A run that is cut short in the middle of a launch leaves no process, no mount and no folder."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.plugin.cases import TREE, case_text, module_text
from tests.plugin.place import SECONDS
from tests.plugin.suite import Suite

HANGS = 'echo started >"$OPEN/started"; exec sleep 1000'
HANGS_INSIDE = """
"$BWRAP" --unshare-all --ro-bind / / --dev /dev sh -c 'echo started >"$0/started"; sleep 1000' "$OPEN" &
trap '' TERM INT HUP; wait"""
"""Hangs with a sandbox below it that nobody has told to end with its parent."""


def heed_signals() -> None:
    """Undo what a caller such as nohup(1) ignores, which every child inherits."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@contextmanager
def in_the_middle(
    suite: Suite, body: str, *arguments: str, place: Path | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Hold a pytest whose helper has just begun to hang, which it says by a FIFO in a folder of its own."""
    fifo = (place or suite.place.open) / "started"
    os.mkfifo(fifo)
    fifo.chmod(0o666)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    own = [f"--helper={suite.helper(body)}", f"--adapter={suite.adapter()}", f"--farm-root={suite.place.farms}"]
    command = [sys.executable, "-m", "pytest", "--launch-timeout=1000", "--report=run.json", *own, *arguments]
    try:
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=heed_signals,  # noqa: PLW1509 - no other thread runs here
        ) as process:
            try:
                assert select.select([reader], [], [], SECONDS)[0] == [reader]
                yield process
            finally:
                process.kill()
    finally:
        os.close(reader)


@pytest.fixture
def two(suite: Suite) -> Suite:
    """A suite of two cases, of which the second must not be started once the first is cut short."""
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    return suite


@pytest.mark.parametrize("body", (HANGS, HANGS_INSIDE), ids=["helper", "sandbox"])
def test_ctrl_c(two: Suite, body: str) -> None:
    with in_the_middle(two, body, "-p", "no:cacheprovider") as process:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=SECONDS)
        assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in out
    assert "INTERNALERROR" not in out
    assert two.place.left() == []
    assert json.loads((two.path / "run.json").read_text("utf-8"))["run"]["met"] is False


def test_ctrl_c_reaches_a_whole_process_group(two: Suite) -> None:
    with in_the_middle(two, HANGS, "-p", "no:cacheprovider") as process:
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=SECONDS)
        assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert two.place.left() == []


@pytest.mark.parametrize("body", (HANGS, HANGS_INSIDE), ids=["helper", "sandbox"])
@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL), ids=lambda number: number.name)
def test_a_signal_that_ends_pytest(two: Suite, number: signal.Signals, body: str) -> None:
    with in_the_middle(two, body) as process:
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
        assert process.returncode != 0
    assert two.place.left() == []


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user may have no mounts")
@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGKILL), ids=lambda number: number.name)
def test_with_mounts_in_the_farm(suite: Suite, number: signal.Signals) -> None:
    suite.write(case_text(tree=f"{TREE}disk/ tmpfs\ntwin/ bind store\n"), "cases/one.toml")
    with in_the_middle(suite, HANGS) as process:
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
    assert suite.place.left() == []


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGKILL), ids=lambda number: number.name)
def test_with_workers(two: Suite, number: signal.Signals) -> None:
    with in_the_middle(two, HANGS, "-p", "xdist", "-n", "2") as process:
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
        assert process.returncode != 0
    assert two.place.left() == []
