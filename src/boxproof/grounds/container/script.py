# SPDX-License-Identifier: MIT
"""What serve.sh executes for one launch: from its subshell to the helper's first instruction, in POSIX sh."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from errno import EACCES, ENOENT, ENOEXEC, errorcode
from typing import Final

from boxproof.errors import GroundError

_ONE_DIGIT: Final = 9
"""The highest descriptor that every POSIX shell can redirect."""
_ENV_SAYS: Final = re.compile(rb"env: [^\n]*: ([^\n:]*)\n\Z")
_REASONS: Final = {os.strerror(number).encode(): errorcode[number] for number in (EACCES, ENOENT, ENOEXEC)}
_CANNOT_EXECUTE: Final = frozenset({126, 127})


def launch_script(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str,
    drop: Sequence[str] = (),
    null_fds: Sequence[int] = (),
) -> bytes:
    """Return the script.

    Args:
        argv: the command line; env(1) looks up what is no path.
        env: the whole environment.
        cwd: the working folder.
        drop: the command and its options that give up root before the helper is executed.
        null_fds: further descriptors to open, for reading, on ``/dev/null``.

    Raises:
        GroundError: for an argument that env(1) would take for a variable.
    """
    if "=" in argv[0]:
        raise GroundError("a command with '=' in its path cannot be started in a container", cause="env(1)")
    variables = (f"{name}={value}" for name, value in env.items())
    command = ["setsid", *drop, "env", "-i", *variables, *argv]
    if any(fd > _ONE_DIGIT for fd in null_fds):
        command = ["bash", "-c", f'{_opened(null_fds)}exec "$@"', "bash", *command]
        null_fds = ()
    return (
        f"cd -P {quoted(cwd)} || {{ echo failed chdir >&3; exit 127; }}\n"
        f"exec 3>&-\n{_opened(null_fds)}exec {' '.join(map(quoted, command))}\n"
    ).encode("utf-8", "surrogateescape")


def exec_error(status: int | None, stderr: bytes) -> str:
    """Return ``execve: ERRNO`` where env(1) says that it could not start the helper, else ``""``."""
    found = _ENV_SAYS.fullmatch(stderr) if status in _CANNOT_EXECUTE else None
    return f"execve: {_REASONS.get(found[1].strip(), 'EINVAL')}" if found else ""


def quoted(text: str) -> str:
    """Return a word in single quotes; nothing is special between them but their end."""
    return "'" + text.replace("'", "'\\''") + "'"


def _opened(fds: Sequence[int]) -> str:
    return "".join(f"exec {fd}</dev/null\n" for fd in fds)
