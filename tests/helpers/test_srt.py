# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from boxproof.errors import HelperError
from boxproof.helpers.base import CannotExpressError, Helper
from boxproof.helpers.srt import FORK, Srt
from tests.helpers.conftest import Script, places_of, policy_of

HELP = """[ "$1" = --help ] && echo 'Usage: srt [options]
  -s, --settings <path>'"""


def settings(*rules: str, surface: str = "", **policy: str) -> dict[str, Any]:
    helper = Helper("s", "/v/srt", surface=surface)
    found = Srt().invocation(helper, policy_of(*rules, **policy), ["/bin/sh", "-c", "echo 'a b'"], places_of())
    assert found.argv[:4] == ("/v/srt", "--settings", "/files/settings.json", "-c")
    assert shlex.split(found.argv[4]) == ["/bin/sh", "-c", "echo 'a b'"]
    said: dict[str, Any] = json.loads(found.files["settings.json"])
    return said


def test_rules_go_into_lists_as_they_are_spelled() -> None:
    assert settings("rw /f//ws", "ro /f/x", "deny /f/link/../a", "rw /f/b") == {
        "network": {"allowedDomains": [], "deniedDomains": []},
        "filesystem": {
            "denyRead": ["/f/link/../a"],
            "allowRead": [],
            "allowWrite": ["/f//ws", "/f/b"],
            "denyWrite": ["/f/x", "/f/link/../a"],
        },
    }


def test_a_name_that_could_be_a_pattern_is_marked_where_the_format_can() -> None:
    marked = {"path": "/f/a*[b]", "literal": True}
    assert settings("rw /f/a*[b]")["filesystem"]["allowWrite"] == [marked]
    assert settings("rw /f/a{b}", surface=FORK)["filesystem"]["allowWrite"] == ["/f/a{b}"]
    with pytest.raises(CannotExpressError, match="pattern"):
        settings("deny /f/a*", surface=FORK)


def test_a_writable_temp_folder_is_the_launchs_own() -> None:
    assert settings("rw /f/ws", tmp="writable")["filesystem"]["allowWrite"] == ["/f/ws", "/scratch"]


def test_names_that_are_not_utf8_cannot_be_said() -> None:
    with pytest.raises(CannotExpressError, match="UTF-8"):
        settings(r"deny /f/\xff")


@pytest.mark.parametrize(
    ("package", "name", "surface"),
    (
        ("@anthropic-ai/sandbox-runtime", "srt-0.9", ""),
        ("@vscode/sandbox-runtime", "vscode-srt-0.9", FORK),
        ("another", "srt", ""),
    ),
)
def test_the_package_tells_the_fork_from_the_original(
    package: str, name: str, surface: str, tmp_path: Path, script: Script
) -> None:
    folder = tmp_path / "package" / "dist"
    folder.mkdir(parents=True)
    binary = script(HELP).rename(folder / "cli.js")
    (folder.parent / "package.json").write_text(json.dumps({"name": package, "version": "0.9"}))
    (tmp_path / "srt").symlink_to(binary)
    for path in (binary, tmp_path / "srt"):
        found = Srt().describe(path, {"K": "v"})
        assert (found.name, found.surface, found.path, found.env) == (name, surface, str(path), {"K": "v"})
        assert Srt().recognises(path) == (bool(found.version) or path.name == "srt")


def test_other_binaries_are_refused(script: Script) -> None:
    with pytest.raises(HelperError, match="is no srt"):
        Srt().describe(script("echo Usage: srt"), {})
    assert not Srt().recognises(Path("/x/other/cli.js"))
