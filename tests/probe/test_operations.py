# SPDX-License-Identifier: MIT
"""One table of questions on one tree: every form of the probe gives the same answers and does the same."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.probe.conftest import MARK, Ask, Question

OK, NO = True, False

# Each question, whether it can be done, and the payload where it can.
TABLE: tuple[tuple[Question, bool, str], ...] = (
    (("read", "file"), OK, "t0ken"),
    (("read", "./file"), OK, "t0ken"),
    (("read", "link"), OK, "t0ken"),
    (("read", "folder/../file"), OK, "t0ken"),
    (("read", "link/"), NO, ""),
    (("read", "no-line-feed"), OK, "t0ken"),
    (("read", "nothing"), OK, ""),
    (("read", "odd"), OK, "a?b?c???d?"),
    (("read", "folder"), NO, ""),
    (("read", "missing"), NO, ""),
    (("read", "dangling"), NO, ""),
    (("read", "loop"), NO, ""),
    (("read", "file/below"), NO, ""),
    (("read", "fifo"), NO, ""),
    (("read", "socket"), NO, ""),
    (("read", "/dev/null"), NO, ""),
    (("write", "written"), OK, ""),
    (("write", "to-written"), OK, ""),
    (("write", "new-by-write"), OK, ""),
    (("write", "folder"), NO, ""),
    (("write", "missing/file"), NO, ""),
    (("write", "fifo"), NO, ""),
    (("write", "socket"), NO, ""),
    (("write", "/dev/full"), NO, ""),
    (("create", "created"), OK, ""),
    (("create", "dangling"), OK, ""),
    (("create", "file"), NO, ""),
    (("create", "folder"), NO, ""),
    (("create", "fifo"), NO, ""),
    (("create", "missing/file"), NO, ""),
    (("create", "loop"), NO, ""),
    (("truncate", "emptied"), OK, ""),
    (("truncate", "missing"), NO, ""),
    (("truncate", "folder"), NO, ""),
    (("truncate", "fifo"), NO, ""),
    (("list", "folder"), OK, "4"),
    (("list", "folder/"), OK, "4"),
    (("list", "to-folder"), OK, "4"),
    (("list", "empty"), OK, "0"),
    (("list", "file"), NO, ""),
    (("list", "missing"), NO, ""),
    (("stat", "file"), OK, "file"),
    (("stat", "folder"), OK, "folder"),
    (("stat", "link"), OK, "link"),
    (("stat", "dangling-too"), OK, "link"),
    (("stat", "loop"), OK, "link"),
    (("stat", "fifo"), OK, "special"),
    (("stat", "missing"), NO, ""),
    (("remove", "removed"), OK, ""),
    (("remove", "removed-link"), OK, ""),
    (("remove", "folder"), NO, ""),
    (("remove", "missing"), NO, ""),
    (("mkdir", "made"), OK, ""),
    (("mkdir", "folder"), NO, ""),
    (("mkdir", "missing/made"), NO, ""),
    (("chmod", "changed"), OK, ""),
    (("chmod", "to-changed"), OK, ""),
    (("chmod", "missing"), NO, ""),
    (("touch", "touched"), OK, ""),
    (("touch", "missing"), NO, ""),
    (("rename", "renamed", "new-name"), OK, ""),
    (("rename", "renamed-over", "replaced"), OK, ""),
    (("rename", "renamed-folder", "empty-too"), OK, ""),
    (("rename", "file", "folder"), NO, ""),
    (("rename", "missing", "other"), NO, ""),
    (("link", "file", "hard"), OK, ""),
    (("link", "link", "hard-link-of-a-link"), OK, ""),
    (("link", "file", "folder"), NO, ""),
    (("link", "missing", "other"), NO, ""),
    (("symlink", "made-link", "any text"), OK, ""),
    (("symlink", "replaced-link", "another text"), OK, ""),
    (("symlink", "link-to-folder", "file"), OK, ""),
    (("symlink", "file", "text"), NO, ""),
    (("symlink", "folder", "text"), NO, ""),
    (("symlink", "missing/link", "text"), NO, ""),
    (("exec", "script"), OK, ""),
    (("exec", "./script"), OK, ""),
    (("exec", "fails"), OK, ""),
    (("exec", "token"), OK, ""),
    (("exec", "folder"), NO, ""),
    (("exec", "missing"), NO, ""),
    (("exec", "not-executable"), NO, ""),
)
FILES = ("file", "written", "emptied", "removed", "changed", "touched", "renamed", "renamed-over", "replaced")
LINKS = {
    "link": "file",
    "dangling": "made-through-a-link",
    "dangling-too": "missing",
    "loop": "loop",
    "to-folder": "folder",
    "to-written": "written",
    "to-changed": "changed",
    "removed-link": "file",
    "replaced-link": "missing",
    "link-to-folder": "folder",
}


@pytest.fixture
def tree(tree: Path) -> Path:
    """The tree that the table asks about."""
    for name in FILES:
        (tree / name).write_text(f"t0ken\n{name}\n")
    for name, text in LINKS.items():
        (tree / name).symlink_to(text)
    for name in ("folder", "empty", "empty-too", "renamed-folder"):
        (tree / name).mkdir()
    for name in ("plain", ".hidden", "..two", "*"):
        (tree / "folder" / name).touch()
    (tree / "no-line-feed").write_text("t0ken")
    (tree / "nothing").touch()
    (tree / "odd").write_bytes(b"a\xffb\\c\x01\x7f\td ")
    os.mkfifo(tree / "fifo")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tree / "socket"))
    for name, text, mode in (
        ("script", "#!/bin/sh\necho output; echo output >&2; read line; exit 0\n", 0o755),
        ("fails", "#!/bin/sh\nexit 1\n", 0o755),
        ("token", "t0ken\n", 0o755),
        ("not-executable", "#!/bin/sh\n", 0o644),
    ):
        (tree / name).write_text(text)
        (tree / name).chmod(mode)
    os.utime(tree / "touched", (1, 1))
    return tree


def test_every_form_gives_the_same_answers_and_does_the_same(ask: Ask, tree: Path) -> None:
    report = ask([question for question, _, _ in TABLE])
    said = {
        question: (report.answers[index].ok, report.answers[index].payload if ok else "")
        for index, (question, ok, _) in enumerate(TABLE)
    }
    assert said == {question: (ok, payload) for question, ok, payload in TABLE}
    assert _state(tree) == _wanted()


def _state(tree: Path) -> dict[str, object]:
    return {
        "written": _marks(tree / "written"),
        "new": _marks(tree / "new-by-write"),
        "created": _marks(tree / "created"),
        "through a link": _marks(tree / "made-through-a-link"),
        "emptied": (tree / "emptied").read_bytes(),
        "gone": [
            name
            for name in ("removed", "removed-link", "renamed", "renamed-over", "renamed-folder")
            if (tree / name).exists()
        ],
        "kept": [name for name in ("file", "folder", "fifo", "made", "new-name", "hard") if (tree / name).exists()],
        "mode": (tree / "changed").stat().st_mode & 0o7777,
        "times": (tree / "touched").stat().st_mtime > 1 and (tree / "touched").stat().st_atime > 1,
        "replaced": (tree / "replaced").read_text(),
        "links": [str((tree / name).readlink()) for name in ("made-link", "replaced-link", "link-to-folder")],
        "same": (tree / "hard").samefile(tree / "file"),
        "not followed": (tree / "hard-link-of-a-link").is_symlink(),
        "folder": sorted(path.name for path in (tree / "folder").iterdir()),
    }


def _wanted() -> dict[str, object]:
    index = {question: index for index, (question, _, _) in enumerate(TABLE)}
    return {
        "written": [f"{MARK}-{index['write', 'written']}", f"{MARK}-{index['write', 'to-written']}"],
        "new": [f"{MARK}-{index['write', 'new-by-write']}"],
        "created": [f"{MARK}-{index['create', 'created']}"],
        "through a link": [f"{MARK}-{index['create', 'dangling']}"],
        "emptied": b"",
        "gone": [],
        "kept": ["file", "folder", "fifo", "made", "new-name", "hard"],
        "mode": 0o777,
        "times": True,
        "replaced": "t0ken\nrenamed-over\n",
        "links": ["any text", "another text", "file"],
        "same": True,
        "not followed": True,
        "folder": ["*", "..two", ".hidden", "plain"],
    }


def _marks(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.startswith(MARK)]
