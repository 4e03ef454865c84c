# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
from pathlib import Path

import pytest

from boxproof.errors import HelperError
from boxproof.helpers import ask as asking
from boxproof.helpers.registry import adapters, find
from tests.helpers.conftest import Script

BWRAP = '[ "$1" = --version ] && echo "bubblewrap 9.9" || echo --perms'


def error_of(given: object, adapter: str | None = None) -> str:
    with pytest.raises(HelperError) as caught:
        find(str(given), adapter, {})
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_name_is_looked_up_on_path(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    binary = script(BWRAP, "bwrap")
    monkeypatch.setenv("PATH", str(binary.parent))
    adapter, helper = find("bwrap", None, {"K": "v"})
    assert (adapter.name, helper.name, helper.path, helper.env) == ("bwrap", "bwrap-9.9", str(binary), {"K": "v"})


def test_a_link_is_recognised_by_what_it_leads_to(script: Script, tmp_path: Path) -> None:
    script(BWRAP, "bwrap")
    (tmp_path / "box").symlink_to("bwrap")
    adapter, helper = find(str(tmp_path / "box"), None, {})
    assert (adapter.name, helper.path) == ("bwrap", str(tmp_path / "box"))


def test_a_binary_of_another_name_is_probed(script: Script) -> None:
    assert find(str(script(BWRAP, "sandbox")), None, {})[0].name == "bwrap"


def test_an_adapter_that_is_named_wins_over_the_binarys_name(script: Script) -> None:
    assert "is no cursorsandbox" in error_of(script(BWRAP, "bwrap"), "cursorsandbox")


def test_an_adapter_file_is_taken_by_its_path(script: Script, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\n')
    adapter, helper = find(str(script("exit 0")), str(tmp_path / "mine.toml"), {})
    assert (adapter.name, helper.name) == ("mine", "mine")


def test_a_template_of_ours_is_taken_by_its_name_or_the_binarys(script: Script) -> None:
    body = '[ "$1" = --version ] && echo 7.8 || echo "--allow-read=PATH --project PATH"'
    for binary, name in ((script(body, "hozo"), None), (script(body, "other"), "hozo")):
        adapter, helper = find(str(binary), name, {})
        assert (adapter.name, helper.name) == ("hozo", "hozo-7.8")
    assert "is no hozo" in error_of(script("exit 0", "hozo"))
    assert "did you mean 'firejail'?" in error_of(script("exit 0"), "firejial")


def test_every_adapter_has_a_name_of_its_own_and_a_source() -> None:
    known = adapters()
    assert len({adapter.name for adapter in known}) == len(known)
    for adapter in known:
        assert adapter.documented.source
        assert adapter.documented.engines


def test_our_own_helpers_need_no_binary() -> None:
    adapter, helper = find("reference", None, {"K": "v"})
    assert (adapter.name, helper.name, helper.env) == ("reference", "reference", {"K": "v"})


def test_a_known_bad_helper_is_driven_as_the_reference() -> None:
    adapter, helper = find("known-bad:order-sensitive", None, {})
    assert (adapter.name, helper.name) == ("reference", "known-bad-order-sensitive")


def test_an_unknown_known_bad_helper_is_said() -> None:
    assert "there is no known-bad helper 'nonsense'; `boxproof list known-bad`" in error_of("known-bad:nonsense")
    assert "did you mean 'order-sensitive'?" in error_of("known-bad:order-sensitiv")


def test_files_that_cannot_be_helpers(script: Script, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("#!/bin/sh\n")
    os.mkfifo(tmp_path / "fifo", 0o755)
    assert "is not on PATH" in error_of("boxproof-no-such-helper")
    assert "(No such file or directory)" in error_of(tmp_path / "none")
    assert "(Not a directory)" in error_of(plain / "none")
    assert "is a folder" in error_of(tmp_path)
    assert "is not executable" in error_of(plain)
    assert "is not executable" in error_of(tmp_path / "fifo")
    assert "without a '#!' line" in error_of(script("exit 0", first=""))
    assert "cannot be started (No such file or directory)" in error_of(script("", first="#!/nonexistent/interpreter"))


def test_an_unknown_adapter_is_said_with_the_nearest(script: Script) -> None:
    assert "did you mean 'cursorsandbox'?" in error_of(script("exit 0"), "cursor-sandbox")
    assert "write one of reference, bwrap" in error_of(script("exit 0"), "xyz")


def test_an_adapter_file_with_an_error_is_said(script: Script, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("nam = 'x'\n")
    assert f"{tmp_path}/bad.toml: 'nam': there is no such key; did you mean 'name'?" in error_of(
        script("exit 0"), str(tmp_path / "bad.toml")
    )


@pytest.mark.parametrize(
    "body", ("exit 0", "exit 2", "kill -9 $$", r"printf '\377\000\n\n'", "kill -9 0", "echo bubblewrap; echo 1.0")
)
def test_a_binary_that_makes_no_sense_fits_no_adapter(script: Script, body: str) -> None:
    assert "no adapter fits" in error_of(script(body))


def test_a_flood_and_a_hang_are_said(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "more than 64 KiB" in error_of(script("exec yes", "flood"))
    monkeypatch.setattr(asking, "SECONDS", 0.3)
    assert "did not end within" in error_of(script("exec sleep 1000", "hang"))
