# SPDX-License-Identifier: MIT
"""Why bwrap could not make the sandbox, found out afterwards by taking its steps one by one (FALL-1, FALL-4, FALL-8).

bwrap's own message stands above the refusal, but it names neither the namespace nor the errno in every case, and its
wording differs between versions. Nothing here is done in a run that succeeds.
"""

from __future__ import annotations

import errno
import os
import select
import signal
from collections.abc import Callable

from . import namespace
from .spawn import Program, spawn

PATIENCE = 1.0
"""Seconds that a look may take; a bwrap that hangs hangs here, too."""

LONGEST = 65536

_LIMIT = "raise user.max_{}_namespaces (sysctl), or allow it in the container's or service's settings"
STEPS: tuple[tuple[str, Callable[[], None], str], ...] = (
    (
        "a user namespace",
        namespace.enter_user_namespace,
        "allow user namespaces: user.max_user_namespaces, kernel.unprivileged_userns_clone, AppArmor or SELinux",
    ),
    ("a mount namespace", lambda: namespace.unshare(namespace.CLONE_NEWNS), _LIMIT.format("mnt")),
    ("a network namespace", lambda: namespace.unshare(namespace.CLONE_NEWNET), _LIMIT.format("net")),
    ("an IPC namespace", lambda: namespace.unshare(namespace.CLONE_NEWIPC), _LIMIT.format("ipc")),
    ("a UTS namespace", lambda: namespace.unshare(namespace.CLONE_NEWUTS), _LIMIT.format("uts")),
    ("a process", lambda: forked(namespace.nothing), "raise the limit of processes (ulimit -u, pids of the cgroup)"),
    ("a pid namespace", lambda: namespace.unshare(namespace.CLONE_NEWPID), _LIMIT.format("pid")),
    ("a mount of /proc", lambda: forked(namespace.mount_proc), "let the container show all of /proc"),
    ("a seccomp filter", namespace.filter_nothing, "use a kernel with seccomp filters"),
)
"""What bwrap needs of the host, in an order in which each step makes the next one possible; and how to get it."""


def missing(program: bytes, words: list[bytes]) -> tuple[str, str]:
    """What kept `program` from its work, and what helps; empty where nothing is found."""
    step, error = first_failure()
    if error:
        why = f"{STEPS[step][0]} is not to be had: {errno.errorcode.get(error, error)}, {os.strerror(error)}"
        return why, STEPS[step][2]
    unknown = unknown_options(program, words)
    return (f"it does not know {', '.join(unknown)}", "use a newer bwrap") if unknown else ("", "")


def first_failure() -> tuple[int, int]:
    """The first step that fails, as a number, with its errno; 0 for the errno if none does. Done by a child."""
    said = heard_from(try_steps).split()
    return (int(said[0]), int(said[1])) if len(said) == 2 else (0, 0)  # noqa: PLR2004 - number and errno


def try_steps() -> bytes:
    """Take the steps in this process; what is to be said about the first that fails."""
    for number, (_, step, _) in enumerate(STEPS):
        try:
            step()
        except OSError as error:
            return b"%d %d" % (number, error.errno or errno.EIO)
    return b""


def unknown_options(program: bytes, words: list[bytes]) -> list[str]:
    """The options among `words` that bwrap's own list of options does not have; none if it gives no such list."""
    known = {word.strip(b"[],") for word in help_of(program).split()}
    asked = {word for word in words if word.startswith(b"--")}
    return sorted(map(os.fsdecode, asked - known)) if b"--bind" in known else []


def help_of(program: bytes) -> bytes:
    """What a program says to ``--help``."""
    reading, writing = os.pipe()
    asked = Program(program, [program, b"--help"], {})
    asked.moved = {1: writing, 2: writing}
    try:
        child = spawn(asked, set())
    except OSError:
        return b""
    finally:
        os.close(writing)
    return heard(reading, child)


def heard_from(work: Callable[[], bytes]) -> bytes:
    """What `work` returns in a child process; nothing if it takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, work())
        finally:
            os._exit(0)
    os.close(writing)
    return heard(reading, child)


def heard(reading: int, child: int) -> bytes:
    """What a child writes within the patience; it is gone afterwards."""
    poll, text = select.poll(), b""
    poll.register(reading, select.POLLIN)
    while len(text) < LONGEST and poll.poll(PATIENCE * 1000):
        piece = os.read(reading, 4096)
        if not piece:
            break
        text += piece
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return text


def forked(step: Callable[[], None]) -> None:
    """Take a step in a child, the first process of a pid namespace asked for before; raises its `OSError`."""

    def work() -> bytes:
        try:
            step()
        except OSError as error:
            return b"%d" % (error.errno or errno.EIO)
        return b"0"

    error = int(heard_from(work) or errno.ETIMEDOUT)
    if error:
        raise OSError(error, os.strerror(error))
