# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import select
from pathlib import Path

import pytest

from boxproof.errors import HelperError
from boxproof.helpers import ask as asking
from boxproof.helpers.ask import Answer, ask
from tests.helpers.conftest import Script


def test_status_and_both_streams_come_back(script: Script) -> None:
    assert ask(script("echo said $1; echo aloud >&2; exit 3"), ["it"], {}) == Answer(3, "said it\naloud\n")


def test_death_by_a_signal_is_a_negative_status(script: Script) -> None:
    assert ask(script("kill -TERM $$"), [], {}).status == -15


def test_the_environment_is_what_is_given_and_an_empty_home(script: Script) -> None:
    said = ask(script('echo "$K" "$(ls -A "$HOME")" "${SHOULD_NOT_BE-unset}"'), [], {"K": "v"}).text
    assert said.split() == ["v", "unset"]


def test_bytes_that_are_no_text_are_no_error(script: Script) -> None:
    assert "\ufffd" in ask(script(r"printf '\377\000'"), [], {}).text


def test_a_flood_is_cut_off(script: Script) -> None:
    with pytest.raises(HelperError, match="more than 64 KiB"):
        ask(script("exec yes"), ["--version"], {})


def test_a_hang_ends_and_so_do_its_children(script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "SECONDS", 0.5)
    with pytest.raises(HelperError, match="did not end within"):
        ask(script(f"sleep 1000 & echo $! > {tmp_path}/pid; exit 0"), ["--version"], {})
    assert _is_gone(int((tmp_path / "pid").read_text()))


def test_a_hang_behind_closed_streams_ends(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "SECONDS", 0.5)
    with pytest.raises(HelperError, match="did not end within"):
        ask(script("exec sleep 1000 >&- 2>&-"), [], {})


def test_a_missing_interpreter_is_said(script: Script) -> None:
    with pytest.raises(HelperError, match=r"cannot be started \(No such file or directory\)"):
        ask(script("", first="#!/nonexistent/interpreter"), [], {})


def _is_gone(pid: int) -> bool:
    """Tell whether a process ends within seconds; its descriptor becomes readable then (pidfd_open(2))."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 10)[0])
    finally:
        os.close(descriptor)
