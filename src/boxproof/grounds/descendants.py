# SPDX-License-Identifier: MIT
"""What runs below the launcher: found, waited for, ended.

Part of the launcher: standard library only, Python 3.9. All of this relies on the launcher being single-threaded and
a child subreaper: a process whose parent ends becomes a child of the launcher, never of init.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

_KILL_SECONDS: Final = 5.0
_SETTLE_SECONDS: Final = 1.0
_LOOK_SECONDS: Final = 0.05
_PF_DYING: Final = 0x4 | 0x400  # PF_EXITING | PF_SIGNALED, <linux/sched.h>


def settle(grace: float, wait: Callable[[Iterable[int], float], object] | None = None, spared: int = 0) -> list[str]:
    """Wait for what a helper left, and return what is still alive after `grace` seconds, one ``PID COMMAND`` each.

    What is dying already (killed with its parent or its pid namespace, say) is given a second to be gone.

    Args:
        grace: seconds.
        wait: waits as `await_end` does, and does besides what what is left may itself be waiting for.
        spared: a child that, with all below it, is no helper's.
    """
    wait = wait or await_end
    start = time.monotonic()
    while reap() and (children := _others(spared)):
        found = (pid for child in children for pid in (child, *_descendants(child)))
        conditions = {pid: condition(pid) for pid in found}
        alive = [pid for pid, condition in conditions.items() if condition == "alive"]
        dying = [pid for pid, condition in conditions.items() if condition == "dying"]
        remaining = start + max(grace, _SETTLE_SECONDS if dying else 0.0) - time.monotonic()
        if remaining <= 0:
            return [_shown(pid) for pid in [*alive, *dying]]
        wait([*alive, *dying], min(remaining, _LOOK_SECONDS))
    return []


def await_dying(seconds: float) -> None:
    """Wait until nothing below this process is dying, or `seconds` have passed."""
    limit = time.monotonic() + seconds
    while dying := [pid for pid in _descendants(os.getpid()) if condition(pid) == "dying"]:
        remaining = limit - time.monotonic()
        if remaining <= 0:
            return
        await_end(dying, min(remaining, _LOOK_SECONDS))


def end_all(spared: int = 0) -> list[str]:
    """Kill every descendant but the child that is `spared`; return those that cannot be killed within five seconds.

    Only own children are signalled, whose numbers cannot have passed to another process meanwhile; the children of a
    killed one become own children in turn.
    """
    limit = time.monotonic() + _KILL_SECONDS
    while reap() and (children := _others(spared)):
        for pid in children:
            kill(pid)
        if time.monotonic() > limit:
            return [_shown(pid) for pid in children]
        await_end(children, _LOOK_SECONDS)
    return []


def reap() -> bool:
    """Collect the children that have ended; true where others are left."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def kill(pid: int) -> None:
    """Kill a child, and its process group, which no process from outside can have joined (setpgid(2))."""
    with contextlib.suppress(OSError):  # a setuid helper is not for an ordinary user to kill
        group = os.getpgid(pid)
        if group != os.getpgrp():
            os.killpg(group, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def await_end(pids: Iterable[int], seconds: float, beside: int = -1) -> bool:
    """Wait until one of `pids` ends, or `seconds` have passed; true where the descriptor `beside` can be read first."""
    poller, opened = select.poll(), []
    if beside >= 0:
        poller.register(beside, select.POLLIN)
    for pid in pids:
        with contextlib.suppress(OSError):  # gone already: the poll below is then for the others
            opened.append(os.pidfd_open(pid))
            poller.register(opened[-1], select.POLLIN)
    events = dict(poller.poll(math.ceil(seconds * 1000)))
    for fd in opened:
        os.close(fd)
    return bool(events.get(beside, 0) & select.POLLIN)


def _others(spared: int) -> list[int]:
    """Return the children but for one."""
    return [child for child in _children(os.getpid()) if child != spared]


def _descendants(pid: int) -> Iterator[int]:
    for child in _children(pid):
        yield child
        yield from _descendants(child)


def _children(pid: int) -> list[int]:
    with contextlib.suppress(OSError):  # a process may end while it is looked at
        if Path(f"/proc/self/task/{os.getpid()}/children").exists():
            tasks = Path(f"/proc/{pid}/task").iterdir()
            return [int(child) for task in tasks for child in (task / "children").read_text().split()]
        # A kernel without CONFIG_PROC_CHILDREN.
        running = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [child for child in running if stat_fields(child)[1:2] == [str(pid)]]
    return []


def condition(pid: int) -> str:
    """Return ``gone`` (a zombie too), ``dying`` for a process that cannot but end, or ``alive``."""
    killed = _kill_is_pending(pid)  # before the flags: what takes the signal sets them
    fields = stat_fields(pid)
    if not fields or (fields[0] in "ZX" and fields[17] == "1"):  # the leader's state; the other threads may live on
        return "gone"
    return "dying" if killed or int(fields[6]) & _PF_DYING else "alive"


def stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on (proc(5)), or none where the process has gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().decode("latin-1").rpartition(")")[2].split()
    return []


def _kill_is_pending(pid: int) -> bool:
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_bytes().splitlines()
        pending = [int(line.split()[1], 16) for line in lines if line.startswith((b"SigPnd:", b"ShdPnd:"))]
        return any(mask >> (signal.SIGKILL - 1) & 1 for mask in pending)
    return False


def _shown(pid: int) -> str:
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes() or Path(f"/proc/{pid}/comm").read_bytes()
        words = command.strip(b"\0\n").replace(b"\0", b" ")
        return f"{pid} {words.decode(errors='backslashreplace')[:200]}"
    return f"{pid} ?"
