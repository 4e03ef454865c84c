# SPDX-License-Identifier: MIT
"""Become another program in a child process, with the caller's signal mask and dispositions (PROC-7).

`os.posix_spawn` would do, but glibc's leaves signals 32 and 33 ignored in the new program.
"""

from __future__ import annotations

import os
import signal

from . import limits
from .signals import RELAYED

OWN_TO_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores for itself. What the caller had is lost; the default is the best guess."""


class Program:
    """A program to start.

    Attributes:
        path: canonical path of the file.
        argv: its argument vector.
        environment: its environment, whole.
        moved: descriptors to put in other places, by their new number.
        limits: the limits of open descriptors to start it with, where this process has others.
    """

    __slots__ = ("argv", "environment", "limits", "moved", "path")

    def __init__(self, path: bytes, argv: list[bytes], environment: dict[bytes, bytes]) -> None:
        self.path = path
        self.argv = argv
        self.environment = environment
        self.moved: dict[int, int] = {}
        self.limits: tuple[int, int] | None = None


def spawn(program: Program, mask: set[int]) -> int:
    """Start `program` and give its process id, once it runs; raises `OSError` where it cannot be executed."""
    reading, writing = os.pipe()  # Closed by the exec: end of file says that it has happened.
    child = os.fork()
    if child == 0:
        _become(program, mask, writing)
    os.close(writing)
    error = os.read(reading, 16)
    os.close(reading)
    if error:
        os.waitpid(child, 0)
        raise OSError(int(error), os.strerror(int(error)))
    return child


def _become(program: Program, mask: set[int], report: int) -> None:
    try:
        for target, source in program.moved.items():
            os.dup2(source, target)
        limits.restore(program.limits)
        restore_signals(mask)
        os.execve(program.path, program.argv, program.environment)  # noqa: S606 - starting a program is its job
    except OSError as error:
        os.write(report, b"%d" % (error.errno or 0))
    finally:
        os._exit(127)


def restore_signals(mask: set[int]) -> None:
    """Give up what Python and this helper changed; what the caller ignores stays ignored."""
    for number in RELAYED:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    for number in OWN_TO_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
