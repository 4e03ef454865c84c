# SPDX-License-Identifier: MIT
"""The tail of pytest's line of dots."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from boxproof.surface.live import tail

HOOKS = """
import pytest
from boxproof.surface.live import live
def pytest_configure(config):
    shown = live(config)
    if shown:
        config.pluginmanager.register(shown)
@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        report.boxproof = {"launches": 2, "findings": [{}]}
    return report
"""
COLUMNS = 90


def on_a_terminal(folder: Path, *words: str) -> str:
    """Return all that pytest writes to a terminal."""
    (folder / "conftest.py").write_text(HOOKS, "utf-8")
    (folder / "test_it.py").write_text("def test_one(): pass\ndef test_two(): assert 0\n", "utf-8")
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, COLUMNS, 0, 0))
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "-p", "no:cacheprovider", "--rootdir=.", *words]
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": str(COLUMNS)}
    with subprocess.Popen(command, cwd=folder, stdin=slave, stdout=slave, stderr=slave, env=env) as process:
        os.close(slave)
        pieces = [*iter(lambda: _read(master), b"")]
    os.close(master)
    assert process.returncode == 1
    return b"".join(pieces).decode().replace("\r\n", "\n")


def _read(master: int) -> bytes:
    try:
        return os.read(master, 1 << 16)
    except OSError:
        # Linux says EIO where the last process has closed its side
        return b""


def seen(text: str) -> list[str]:
    """Return what a terminal shows in the end: enough of one for dots, the tail, and its erasure."""
    lines: list[str] = []
    for line in text.split("\n"):
        row, at, rest = "", 0, line
        while rest:
            if rest.startswith("\x1b["):
                end = next(place for place, letter in enumerate(rest[2:], 2) if letter.isalpha())
                word, rest = rest[2 : end + 1], rest[end + 1 :]
                at -= int(word[:-1]) if word.endswith("D") else 0
                row = row[:at] if word == "K" else row
            else:
                row, at, rest = row[:at] + rest[0] + row[at + 1 :], at + 1, rest[1:]
        lines.append(row)
    return lines


def test_the_tail_is_there_and_is_gone_in_the_end(tmp_path: Path) -> None:
    written = on_a_terminal(tmp_path)
    assert "launches/s, 1 finding  test_two" in written
    shown = seen(written)
    assert not [line for line in shown if "launches/s" in line]
    (dots,) = (line for line in shown if line.startswith("test_it.py ."))
    assert dots.split() == ["test_it.py", ".F", "[100%]"]
    # as far as pytest itself fills a line
    assert len(dots) == COLUMNS - 1


def test_with_workers_nothing_of_it_stays(tmp_path: Path) -> None:
    written = on_a_terminal(tmp_path, "-p", "xdist", "-n", "1")
    assert "launches/s" in written
    assert not [line for line in seen(written) if "launches/s" in line]
    assert any(line.startswith(".F") for line in seen(written))


@pytest.mark.parametrize("option", ("-v", "-q"))
def test_more_or_less_than_dots_has_none(tmp_path: Path, option: str) -> None:
    assert "launches/s" not in on_a_terminal(tmp_path, option)


def test_a_file_gets_none(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(HOOKS, "utf-8")
    (tmp_path / "test_it.py").write_text("def test_one(): pass\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "-p", "no:cacheprovider", "--rootdir=."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout
    assert "launches/s" not in done.stdout


def test_it_takes_the_room_that_there_is() -> None:
    assert tail("MASK-2[a]", 12.34, 1, 80) == "  12.3 launches/s, 1 finding  MASK-2[a]"
    assert len(tail("x" * 200, 1, 2, 50)) == 50
    assert tail("x", 1, 2, 20) == ""
    assert tail("\x9bé", 1, 0, 80).isascii()
