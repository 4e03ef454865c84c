# SPDX-License-Identifier: MIT
"""A command under a condition, with this process' own streams: what ``boxproof simulate`` runs."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from boxproof.grounds.impose import impose, impose_after_drop
from boxproof.grounds.supervise import Supervisor


def rehearse(argv: Sequence[str], request: dict[str, Any], env: Mapping[str, str]) -> int:
    """Run a command as the caller and return its status, 128 and the number for a signal.

    Args:
        argv: the command, looked up on the PATH of `env`.
        request: a condition's plan, as the launcher takes it.
        env: the whole environment.

    Raises:
        OSError: where this host has no process to spare.
    """
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        _become(argv, request, env, theirs.fileno())
    theirs.close()
    with ours:
        _answer(ours, request["supervise"], pid)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status if status >= 0 else 128 - status


def _become(argv: Sequence[str], request: dict[str, Any], env: Mapping[str, str], listener: int) -> NoReturn:
    status = 126
    try:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        impose(request, listener)
        impose_after_drop(request)
        os.execvpe(argv[0], list(argv), dict(env))  # noqa: S606 - no shell is what is wanted
    except OSError as error:
        os.write(2, f"boxproof: {argv[0]}: {error.strerror}\n".encode())
        status = 127 if isinstance(error, FileNotFoundError) else 126
    finally:
        os._exit(status)


def _answer(channel: socket.socket, wanted: dict[str, Any], pid: int) -> None:
    """Supervise until the command has ended."""
    _, fds, _, _ = socket.recv_fds(channel, 1, 1)
    if not fds:
        return
    supervisor = Supervisor(fds[0], wanted)
    channel.send(b"l")
    pidfd = os.pidfd_open(pid)
    poller = select.poll()
    for fd in (pidfd, supervisor.fd):
        poller.register(fd, select.POLLIN)
    while pidfd not in (events := dict(poller.poll())):
        if events.get(supervisor.fd, 0) & select.POLLIN:
            supervisor.serve()
        else:
            poller.unregister(supervisor.fd)
    os.close(pidfd)
    supervisor.close()
    if supervisor.clashed:
        sys.stderr.write("boxproof: the command wanted a listener of its own, which this condition takes away\n")
