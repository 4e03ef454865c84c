# SPDX-License-Identifier: MIT
"""User namespaces of this process' own, and who is who in them (user_namespaces(7)).

Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from boxproof.grounds import kernel

_EVERY_ID: Final = "0 0 4294967295"


def map_self(flags: int) -> None:
    """Leave for new namespaces in which only this process' own identity has a name; others show as nobody.

    Raises:
        OSError: where this host does not allow it.
    """
    # a task that changed its identity is not dumpable, and its files in /proc are root's then (proc(5))
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(flags)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def map_everybody() -> None:
    """Leave for a new user namespace in which everybody keeps their identity; takes root.

    A process of the namespace outside writes the map: whoever has left may map nobody but himself.

    Raises:
        OSError: where this host does not allow it.
    """
    here, there = os.pipe()
    pid = os.fork()
    if pid == 0:
        _map_parent(here, there)
    os.close(here)
    try:
        kernel.unshare(kernel.CLONE_NEWUSER)
        os.write(there, b"u")
    finally:
        os.close(there)
        status = os.waitpid(pid, 0)[1]
    if status:
        raise OSError(os.WEXITSTATUS(status), "the identities cannot be mapped")


def _map_parent(here: int, there: int) -> None:
    """Wait until the parent has left, map, and end with an errno."""
    status = 1
    try:
        os.close(there)
        if os.read(here, 1):
            for file in ("uid_map", "gid_map"):
                Path(f"/proc/{os.getppid()}/{file}").write_text(_EVERY_ID)
        status = 0
    except OSError as error:
        status = error.errno or 1
    finally:
        os._exit(status)
