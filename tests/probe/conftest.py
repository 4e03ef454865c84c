# SPDX-License-Identifier: MIT
"""The probe in all its forms: every POSIX shell that is at hand, and compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from boxproof.probe.command import compile_probe, compiled_command, script, shell_command, standing_command
from boxproof.probe.reader import ProbeReport, read_report

NONCE, MARK = "n0nce", "m4rk"
SHELLS = (
    ("dash",),
    ("bash", "--posix"),
    ("bash",),
    ("busybox", "ash"),
    ("ksh93",),
    ("mksh",),
    ("posh",),
)
STAYS = "that stays"
SECONDS = 20

Question = tuple[str, ...]
Ask = Callable[[Sequence[Question]], ProbeReport]


@pytest.fixture(scope="session")
def compiled() -> Iterator[Path]:
    """The compiled probe."""
    folder = Path(tempfile.mkdtemp())
    path = compile_probe(folder)
    if path is None:
        shutil.rmtree(folder)
        pytest.skip("no C compiler is at hand")
    yield path
    shutil.rmtree(folder)


@pytest.fixture(params=[*SHELLS, *((*shell, STAYS) for shell in SHELLS), ("C",)], ids=" ".join)
def form(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """How a probe is started: a shell with its options, one that stays and is told what to do, or ``C``."""
    form: tuple[str, ...] = request.param
    if form != ("C",) and not shutil.which(form[0]):
        pytest.skip(f"{form[0]} is not at hand")
    return form


@pytest.fixture
def ask(form: tuple[str, ...], request: pytest.FixtureRequest, tree: Path) -> Ask:
    """Put questions to a probe whose working folder is `tree`."""
    compiled = request.getfixturevalue("compiled") if form == ("C",) else None

    def ask(questions: Sequence[Question]) -> ProbeReport:
        command, told, cwd = (*form, *shell_command(NONCE, MARK, questions)[1:]), "", tree
        if compiled:
            command = compiled_command(compiled, NONCE, MARK, questions)
        elif form[-1] == STAYS:
            command, cwd = form[:-1], Path("/")
            told = f"{script()}\n{standing_command(str(tree), NONCE, MARK, questions)}\n"
        done = subprocess.run(
            command, cwd=cwd, input=os.fsencode(told), capture_output=True, timeout=SECONDS, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        report = read_report(done.stdout, NONCE, len(questions))
        assert (report.began, report.finished, report.repeated, report.extra) == (True, True, frozenset(), b"")
        return report

    return ask


@pytest.fixture
def tree() -> Iterator[Path]:
    """A folder that any user can reach, and that is gone afterwards."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(folder)
