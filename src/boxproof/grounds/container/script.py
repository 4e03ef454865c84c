# SPDX-License-Identifier: MIT
"""What serve.sh executes for one launch: from its subshell to the helper's first instruction, in POSIX sh."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from errno import EACCES, ENOENT, ENOEXEC, errorcode
from typing import Final

from attrs import evolve

from boxproof.errors import GroundError
from boxproof.grounds.command import Command
from boxproof.grounds.given import ALONE, PLAIN

_ONE_DIGIT: Final = 9
"""The highest descriptor that every POSIX shell can redirect."""
_ENV_SAYS: Final = re.compile(rb"env: [^\n]*: ([^\n:]*)\n\Z")
_REASONS: Final = {os.strerror(number).encode(): errorcode[number] for number in (EACCES, ENOENT, ENOEXEC)}
_CANNOT_EXECUTE: Final = frozenset({126, 127})


def launch_script(command: Command, drop: Sequence[str] = ()) -> bytes:
    """Return the script.

    Args:
        command: what is started; env(1) looks up what is no path.
        drop: the command and its options that give up root before the helper is executed.

    Raises:
        GroundError: for what no shell can start, such as an argument that env(1) would take for a variable.
    """
    _check(command)
    variables = (f"{name}={value}" for name, value in command.env.items())
    words = ["setsid", *drop, "env", "-i", *variables, *command.argv]
    null_fds = command.null_fds
    if any(fd > _ONE_DIGIT for fd in null_fds):
        words = ["bash", "-c", f'{_opened(null_fds)}exec "$@"', "bash", *words]
        null_fds = ()
    return (
        f"cd -P {quoted(command.cwd)} || {{ echo failed chdir >&3; exit 127; }}\n"
        f"exec 3>&-\n{_opened(null_fds)}exec {' '.join(map(quoted, words))}\n"
    ).encode("utf-8", "surrogateescape")


def _check(command: Command) -> None:
    if "=" in command.argv[0]:
        raise GroundError("a command with '=' in its path cannot be started in a container", cause="env(1)")
    if command.executable not in {"", command.argv[0]}:
        raise GroundError("a container starts a helper under its own name only", cause="argv[0] is another")
    if command.condition is not None or command.canary:
        raise GroundError("a container takes no condition", cause="the host's launcher simulates them")
    if command.given != PLAIN or evolve(command.attendance, grace=None, signals=()) != ALONE:
        raise GroundError("a container's engine stands between a helper and its caller", cause="docker-exec(1)")


def exec_error(status: int | None, stderr: bytes) -> str:
    """Return ``execve: ERRNO`` where env(1) says that it could not start the helper, else ``""``."""
    found = _ENV_SAYS.fullmatch(stderr) if status in _CANNOT_EXECUTE else None
    return f"execve: {_REASONS.get(found[1].strip(), 'EINVAL')}" if found else ""


def quoted(text: str) -> str:
    """Return a word in single quotes; nothing is special between them but their end."""
    return "'" + text.replace("'", "'\\''") + "'"


def _opened(fds: Sequence[int]) -> str:
    return "".join(f"exec {fd}</dev/null\n" for fd in fds)
