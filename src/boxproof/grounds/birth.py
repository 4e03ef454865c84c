# SPDX-License-Identifier: MIT
"""From the launcher's fork to the helper's first instruction.

Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence

from boxproof.grounds import kernel
from boxproof.grounds.canary import become_canary
from boxproof.grounds.impose import impose, impose_after_drop
from boxproof.grounds.wire import JSON, from_wire


def become_helper(request: JSON, streams: Sequence[int], report: int, listener: int) -> None:
    """Turn this process into the helper that `request` describes; never return.

    Args:
        request: the launch, as it came from the engine.
        streams: what becomes descriptors 0, 1 and 2.
        listener: a socket to the launcher, for conditions that it supervises.
        report: closed by a successful execve(2); where a step fails, ``CALL: ERRNO`` is written to it.
    """
    step = "setsid"
    try:
        os.setsid()
        step = "dup2"
        report = fcntl.fcntl(report, fcntl.F_DUPFD_CLOEXEC, max([2, *request["null_fds"]]) + 1)
        _place(streams, request["null_fds"])
        step = "condition"
        if condition := request["condition"]:
            impose(condition, listener)
        step = "setresuid"
        _drop(request["uid"], request["gid"])
        if condition:
            impose_after_drop(condition)
        step = "chdir"
        os.chdir(from_wire(request["cwd"]))
        if request["canary"]:
            become_canary(request)
            os._exit(0)
        step = "execve"
        _execute(request)
    except (OSError, ValueError) as error:
        os.write(report, f"{step}: {kernel.error_name(getattr(error, 'errno', None))}".encode())
    finally:
        os._exit(127)


def _place(streams: Sequence[int], null_fds: Sequence[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for number in null_fds:
        os.dup2(os.open(os.devnull, os.O_RDONLY), number)
        os.set_inheritable(number, True)  # noqa: FBT003 - the standard library's own signature


def _drop(uid: int, gid: int) -> None:
    """Take an identity and lose every capability with it (capabilities(7)); nothing to do where it is ours."""
    if (uid, gid) != (os.geteuid(), os.getegid()):
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        kernel.drop_capabilities()


def _execute(request: JSON) -> None:
    argv = [from_wire(text) for text in request["argv"]]
    env = {from_wire(name): from_wire(value) for name, value in request["env"].items()}
    os.execve(from_wire(request["executable"]), argv, env)  # noqa: S606 - no shell is what is wanted
