# SPDX-License-Identifier: MIT
"""The command lines of the probe, and its C form made where a compiler is at hand."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from boxproof.model.probe import WITH_OTHER

_SHELL: Final = "/bin/sh"
_COMPILERS: Final = ("cc", "gcc", "clang", "tcc")
_FLAGS: Final = ("-std=c11", "-O1", "-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector")
_COMPILE_SECONDS: Final = 20


def shell_command(nonce: str, mark: str, questions: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the probe in POSIX sh; each question is an operation, a path and, for some operations, another path.

    Args:
        nonce: ASCII letters and digits, which make the probe's lines known.
        mark: likewise; what is written begins with it.
        questions: an index into these is an index into the report's answers.
    """
    return (_SHELL, "-c", script(), "boxproof", nonce, mark, *_words(questions))


def standing_command(cwd: str, nonce: str, mark: str, questions: Sequence[tuple[str, ...]]) -> str:
    """Return what a shell that has read `script` is to read next, to answer as `shell_command` does, started in `cwd`.

    A subshell does it, so that nothing of one command is left for the next.
    """
    return f"(cd -P -- {shlex.quote(cwd)} && {shlex.join(['probe', nonce, mark, *_words(questions)])}) </dev/null"


def process_command(
    nonce: str, steps: Sequence[str], arguments: Sequence[str], probe: Sequence[str]
) -> tuple[str, ...]:
    """Return the command that takes `steps`, one of which is the command line `probe`.

    Args:
        nonce: ASCII letters and digits, which make facts known.
        steps: words of ``process.sh``, none with a blank.
        arguments: what it is to say that it was given.
        probe: a command line.
    """
    script = _own("process.sh").read_text("ascii")
    return (_SHELL, "-c", script, "boxproof", nonce, " ".join(steps), str(len(arguments)), *arguments, *probe)


def compiled_command(path: Path, nonce: str, mark: str, questions: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the probe that `compile_probe` made, with the arguments of `shell_command`."""
    return (str(path), nonce, mark, *_words(questions))


def compile_probe(folder: Path) -> Path | None:
    """Compile the probe into `folder`, for every user to execute; none where no compiler of this host can."""
    path = folder / "boxproof-probe"
    with resources.as_file(_own("probe.c")) as source:
        found = (shutil.which(name) for name in _COMPILERS)
        made = any(_compile(compiler, source, path) for compiler in found if compiler)
    if made:
        path.chmod(0o755)
    return path if made else None


@cache
def script() -> str:
    """Return the text of the probe in POSIX sh."""
    return _own("probe.sh").read_text("ascii")


def _own(name: str) -> resources.abc.Traversable:
    return resources.files("boxproof.probe").joinpath(name)


def _words(questions: Sequence[tuple[str, ...]]) -> list[str]:
    for question in questions:
        if len(question) != 2 + (question[0] in WITH_OTHER):
            raise ValueError(f"{question} has the wrong number of paths")
    return [word for question in questions for word in question]


def _compile(compiler: str, source: Path, path: Path) -> bool:
    try:
        done = subprocess.run(
            [compiler, *_FLAGS, "-o", path, source],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_COMPILE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
