# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from boxproof.helpers.package import version_beside


@pytest.mark.parametrize(
    ("said", "version"),
    (
        ('{"name": "@v/tool-linux", "version": "1.2"}', "1.2"),
        ('{"name": "@v/tool"}', ""),
        ('{"name": "@other/tool", "version": "1.2"}', ""),
        ("[1]", ""),
        ("{", ""),
        ("\xff", ""),
    ),
)
def test_a_package_tells_the_version_of_its_own_binary(tmp_path: Path, said: str, version: str) -> None:
    (tmp_path / "package.json").write_bytes(said.encode("latin-1"))
    (tmp_path / "bin" / "x64").mkdir(parents=True)
    binary = tmp_path / "bin" / "x64" / "tool"
    binary.touch()
    (tmp_path / "link").symlink_to(binary)
    assert version_beside(binary, "@v/tool") == version
    assert version_beside(tmp_path / "link", "@v/tool") == version


def test_the_nearest_package_is_the_only_one_that_counts(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "@v/tool", "version": "1"}')
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "package.json").write_text('{"name": "else", "version": "2"}')
    assert version_beside(tmp_path / "inner" / "tool", "@v/tool") == ""
    assert version_beside(tmp_path / "tool", "@v/tool") == "1"
