# SPDX-License-Identifier: MIT
"""What each form of the probe has of its own, and what no form may be confused by."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from boxproof.probe import command
from boxproof.probe.command import compile_probe, compiled_command, script, shell_command
from boxproof.probe.reader import Answer, read_report
from tests.probe.conftest import MARK, NONCE, SECONDS, Ask, Question

NAMES = (
    "a b",
    " lead",
    "trail ",
    "line\nfeed",
    "\n",
    "quote'",
    'double"',
    "back\\slash",
    "*",
    "[ab]",
    "?",
    "~",
    "$HOME",
    "$(touch made)",
    "`touch made`",
    "; touch made",
    "-e",
    "-rf",
    "--",
    "!",
    "(",
    "=",
    "a=b",
    "#",
    "é",
    "\udcff\udcfe",
    "x" * 255,
    "read",
    f"{NONCE} end",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("absolute", (False, True), ids=["relative", "absolute"])
def test_a_name_is_taken_literally(ask: Ask, tree: Path, name: str, *, absolute: bool) -> None:
    (tree / "twin").mkdir()
    for twin in ("ab", "a", "b"):
        (tree / twin).write_text("neighbour")
    (tree / name).mkdir()
    (tree / name / "ab").write_text("neighbour")
    (tree / name / name).write_text("t0ken")
    way = f"{tree if absolute else '.'}/{name}"
    said = ask(
        [
            ("read", f"{way}/{name}"),
            ("list", way),
            ("stat", f"{way}/{name}"),
            ("write", f"{way}/{name}"),
            ("create", f"{way}/new{name[:250]}"),
            ("chmod", f"{way}/{name}"),
            ("touch", f"{way}/{name}"),
            ("link", f"{way}/{name}", f"{way}/2{name[:250]}"),
            ("rename", f"{way}/2{name[:250]}", f"{way}/3{name[:250]}"),
            ("symlink", f"{way}/4{name[:250]}", name),
            ("mkdir", f"{way}/5{name[:250]}"),
            ("list", way),
            ("remove", f"{way}/{name}"),
        ]
    ).answers
    assert [said[index] for index in range(3)] == [
        Answer(ok=True, payload="t0ken"),
        Answer(ok=True, payload="2"),
        Answer(ok=True, payload="file"),
    ]
    assert [index for index, answer in said.items() if answer.ok is not True] == []
    assert said[11].payload == "6"
    new = {f"{prefix}{name[:250]}" for prefix in ("new", "3", "4", "5")}
    assert {path.name for path in (tree / name).iterdir()} == {"ab", *new} - ({name} if name != "ab" else set())
    assert (tree / name / f"3{name[:250]}").read_text() == f"t0ken{MARK}-3\n"
    assert not (tree / "made").exists()


def test_an_unreadable_folder_has_no_names(ask: Ask, tree: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads all")
    for name, mode in (("neither", 0o000), ("search-only", 0o111), ("names-only", 0o444)):
        (tree / name).mkdir()
        (tree / name / "file").write_text("t0ken")
        (tree / name).chmod(mode)
    said = ask(
        [
            ("list", "neither"),
            ("list", "search-only"),
            ("list", "names-only"),
            ("read", "neither/file"),
            ("read", "search-only/file"),
            ("create", "names-only/new"),
            ("remove", "search-only/file"),
            ("rename", "search-only/file", "got"),
            ("link", "neither/file", "got"),
            ("chmod", "neither"),
            ("read", "neither/file"),
        ]
    ).answers
    assert {index for index, answer in said.items() if answer.ok} == {2, 4, 9, 10}
    assert said[2].payload == "1"


def test_no_question_at_all_is_answered(ask: Ask) -> None:
    assert ask([]).answers == {}


def test_two_hundred_questions_are_answered(ask: Ask, tree: Path) -> None:
    (tree / "file").write_text("t0ken")
    questions: list[Question] = [("read", "file"), ("rename", "missing", "x")] * 100
    assert [answer.ok for answer in ask(questions).answers.values()] == [True, False] * 100


def test_a_device_is_written_and_nothing_is_made(ask: Ask, tree: Path) -> None:
    (tree / "file").write_text("t0ken")
    said = ask([("device", "/dev/null"), ("device", "file"), ("device", "missing")]).answers
    assert [answer.ok for answer in said.values()] == [True, False, False]
    assert ([*tree.iterdir()], (tree / "file").read_text()) == ([tree / "file"], "t0ken")


def test_what_a_shell_cannot_do_it_says(ask: Ask, form: tuple[str, ...], tree: Path) -> None:
    for name in ("one", "other"):
        (tree / name).write_text(name)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tree / "socket"))
        listening.listen()
        said = ask([("exchange", "one", "other"), ("connect", "socket")]).answers
    compiled = form == ("C",)
    assert [said[0].ok, said[1].ok] == ([True, True] if compiled else [None, None])
    assert (tree / "one").read_text() == ("other" if compiled else "one")


def test_the_compiled_probe_says_why(compiled: Path, tree: Path) -> None:
    (tree / "file").touch()
    questions: list[Question] = [
        ("read", "missing"),
        ("create", "file/below"),
        ("connect", "file"),
        ("connect", "missing"),
        ("connect", "x" * 200),
        ("mkdir", "file"),
        ("exec", "file"),
        ("exchange", "file", "missing"),
    ]
    done = subprocess.run(
        compiled_command(compiled, NONCE, MARK, questions), cwd=tree, capture_output=True, timeout=SECONDS, check=True
    )
    answers = read_report(done.stdout, NONCE, len(questions)).answers
    wanted = (
        errno.ENOENT,
        errno.ENOTDIR,
        errno.ECONNREFUSED,
        errno.ENOENT,
        None,
        errno.EEXIST,
        errno.EACCES,
        errno.ENOENT,
    )
    assert [int(answer.payload) if answer.payload else None for answer in answers.values()] == list(wanted)


def test_datagram_sockets_are_connected_too(compiled: Path, tree: Path) -> None:
    for name, kind in (("dgram", socket.SOCK_DGRAM), ("seqpacket", socket.SOCK_SEQPACKET)):
        with socket.socket(socket.AF_UNIX, kind) as listening:
            listening.bind(str(tree / name))
            if kind == socket.SOCK_SEQPACKET:
                listening.listen()
            line = compiled_command(compiled, NONCE, MARK, [("connect", name)])
            done = subprocess.run(line, cwd=tree, capture_output=True, timeout=SECONDS, check=True)
            assert read_report(done.stdout, NONCE, 1).answers[0].ok


def test_the_compiled_probe_needs_no_library(compiled: Path) -> None:
    image = compiled.read_bytes()
    assert image[:4] == b"\x7fELF"
    assert b"ld-linux" not in image
    assert compiled.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("compiler", ("gcc", "clang", "tcc"))
def test_every_compiler_at_hand_makes_it(compiler: str, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not at hand")
    monkeypatch.setattr(command, "_COMPILERS", (compiler,))
    path = compile_probe(tree)
    assert path is not None
    done = subprocess.run([path, NONCE, MARK, "stat", "/"], capture_output=True, timeout=SECONDS, check=True)
    assert done.stdout.decode() == f"{NONCE} begin 1\n{NONCE} 0 ok folder\n{NONCE} end\n"


def test_its_warnings_are_clean(tree: Path) -> None:
    gcc = shutil.which("gcc") or pytest.skip("gcc is not at hand")
    source = Path(command.__file__).with_name("probe.c")
    flags = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-pedantic"]
    done = subprocess.run([gcc, *command._FLAGS, *flags, "-o", tree / "x", source], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("compilers", ((), ("false",), ("no-such-compiler",)))
def test_no_compiler_is_not_missed(compilers: tuple[str, ...], tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_COMPILERS", compilers)
    assert compile_probe(tree) is None


def test_a_question_with_the_wrong_number_of_paths_is_refused() -> None:
    with pytest.raises(ValueError, match="wrong number of paths"):
        shell_command(NONCE, MARK, [("rename", "one")])


def test_the_script_is_clean_to_shellcheck() -> None:
    shellcheck = shutil.which("shellcheck") or pytest.skip("shellcheck is not at hand")
    done = subprocess.run(
        [shellcheck, "--shell=sh", "-"], input=script().encode(), capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"")
