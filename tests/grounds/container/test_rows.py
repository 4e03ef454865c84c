# SPDX-License-Identifier: MIT
"""What is at a path is seen raw, and made so by a script."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from boxproof.grounds.container.rows import LOOK, differing, marking, seen_rows, shaping
from boxproof.model.row import Row


def look(*paths: Path) -> list[Row]:
    names = [str(path) for path in paths]
    return list(seen_rows(names, sh(LOOK, *names)).values())


def sh(script: str, *arguments: str) -> str:
    return subprocess.run(
        ["/bin/sh", "-c", script, "sh", *arguments], capture_output=True, text=True, check=True
    ).stdout


def test_each_kind_is_seen_and_a_link_with_its_own_text(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir(mode=0o755)
    (tmp_path / "empty").touch(mode=0o644)
    (tmp_path / "full").write_text("a")
    (tmp_path / "full").chmod(0o444)
    (tmp_path / "link").symlink_to("../no/./where: at all")
    (tmp_path / "alias").symlink_to("folder")
    names = ("folder", "empty", "full", "link", "alias", "none")
    paths = [tmp_path / name for name in names]
    assert look(*paths) == [
        Row(str(paths[0]), "folder", mode=0o755),
        Row(str(paths[1]), "file", mode=0o644),
        Row(str(paths[2]), "file", mode=0o444),
        Row(str(paths[3]), "link", "../no/./where: at all"),
        Row(str(paths[4]), "link", "folder"),
        Row(str(paths[5]), "absent"),
    ]


@pytest.mark.parametrize(
    ("row", "same"),
    (
        (Row("/a", "file"), True),
        (Row("/a", "file", mode=0o644), True),
        (Row("/a", "file", mode=0o444), False),
        (Row("/a", "link", "b"), False),
        (Row("/a", "absent"), False),
    ),
)
def test_a_row_without_a_mode_allows_any(row: Row, same: object) -> None:
    assert (differing([row], {"/a": Row("/a", "file", mode=0o644)}) == []) is same


def test_rows_are_made(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").symlink_to("a")
    rows = [Row(f"{tmp_path}/a", "absent"), Row(f"{tmp_path}/b", "link", "it's gone")]
    sh(shaping(rows))
    assert look(tmp_path / "a", tmp_path / "b") == rows


def test_a_bundle_is_marked_once_and_stays_the_same_file(tmp_path: Path) -> None:
    bundle = tmp_path / "it's a bundle"
    bundle.write_text("-----BEGIN\n\\n%s\n")
    inode = bundle.stat().st_ino
    for _ in range(2):
        sh(marking(str(bundle), "t123"))
    assert bundle.read_text() == "t123\n-----BEGIN\n\\n%s\n"
    assert bundle.stat().st_ino == inode
