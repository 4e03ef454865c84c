# SPDX-License-Identifier: MIT
"""The bare loop: starts a command line, reads its answer, waits for its end, and nothing else.

A process of its own, standard library only, so that a start costs as little as it can: a small process that takes the
launch user's identity once and never again. Reads one JSON object a line and writes one a line.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
import time
from typing import Any, Final

_CLONE_NEWNS: Final = 0x20000  # <sched.h>
_PR_SET_CHILD_SUBREAPER: Final = 36  # <linux/prctl.h>


def main(uid: int, gid: int, namespace: str) -> None:
    """Serve until standard input ends."""
    if os.geteuid() == 0:
        _enter(namespace)
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    # what outlives the helper for a moment costs processor time too, and ends before the next launch
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_launch(json.loads(line))) + "\n")
        sys.stdout.flush()


def _enter(namespace: str) -> None:
    """Enter the mount namespace in which launches see their own ``/tmp`` and account files (setns(2))."""
    fd = os.open(namespace, os.O_RDONLY)
    if ctypes.CDLL(None, use_errno=True).setns(fd, _CLONE_NEWNS):
        raise OSError(ctypes.get_errno(), "setns")
    os.close(fd)


def _launch(start: dict[str, Any]) -> dict[str, Any]:
    os.chdir(start["cwd"])
    busy, clock = _busy(), time.perf_counter()
    out, theirs = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, theirs, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        *((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDONLY, 0) for fd in start["null_fds"]),
    ]
    pid = os.posix_spawn(start["executable"], start["argv"], start["env"], file_actions=actions)
    os.close(theirs)
    answer = b"".join(iter(lambda: os.read(out, 1 << 16), b""))
    os.waitpid(pid, 0)
    seconds = time.perf_counter() - clock
    os.close(out)
    _reap()
    return {"seconds": seconds, "busy": _busy() - busy, "answer": answer.decode("latin-1")}


def _reap() -> None:
    """Wait for all that the helper left."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        return


def _busy() -> float:
    """Return the processor seconds of this process and all that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
