# SPDX-License-Identifier: MIT
"""From the launcher's fork to the helper's first instruction.

All that can be worked out before the fork is: whatever the child touches, the kernel copies page by page.
posix_spawn(3) would copy nothing, but it gives no other identity, and glibc's leaves two signals ignored.
Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence

from boxproof.grounds import kernel
from boxproof.grounds.canary import answer_and_end
from boxproof.grounds.impose import impose, impose_after_drop
from boxproof.grounds.wire import JSON, from_wire


class Birth:
    """A helper that is to be started.

    Args:
        request: the launch, as it came from the engine.
        streams: what becomes descriptors 0, 1 and 2.
        listener: a socket to the launcher, for a condition that it supervises, or -1.
        report: closed by a successful execve(2); where a step fails, ``CALL: ERRNO`` is written to it.
    """

    def __init__(self, request: JSON, streams: Sequence[int], report: int, listener: int = -1) -> None:
        self._streams = tuple(enumerate(streams))
        self._null_fds = tuple(request["null_fds"])
        self._free = max([2, *self._null_fds]) + 1
        self._report = report
        self._listener = listener
        self._condition = request["condition"]
        self._canary = request["canary"]
        self._uid, self._gid = request["uid"], request["gid"]
        self._drops = (self._uid, self._gid) != (os.geteuid(), os.getegid())
        self._cwd, self._file = from_wire(request["cwd"]), from_wire(request["executable"])
        self._argv = [from_wire(text) for text in request["argv"]]
        self._env = {from_wire(name): from_wire(value) for name, value in request["env"].items()}

    def start(self) -> int:
        """Return the helper's process, the leader of a new session."""
        pid = os.fork()
        if pid == 0:
            self._become()
        return pid

    def _become(self) -> None:
        """Turn this process into the helper; never return."""
        step, report = "setsid", self._report
        try:
            os.setsid()
            step = "dup2"
            report = fcntl.fcntl(report, fcntl.F_DUPFD_CLOEXEC, self._free)
            for number, stream in self._streams:
                os.dup2(stream, number)
            for number in self._null_fds:
                os.dup2(os.open(os.devnull, os.O_RDONLY), number)
                os.set_inheritable(number, True)  # noqa: FBT003 - the standard library's own signature
            step = "condition"
            if self._condition:
                impose(self._condition, self._listener)
            step = "setresuid"
            if self._drops:
                self._drop()
            if self._condition:
                impose_after_drop(self._condition)
            step = "chdir"
            os.chdir(self._cwd)
            if self._canary:
                answer_and_end(self._canary, self._env)
            step = "execve"
            os.execve(self._file, self._argv, self._env)  # noqa: S606 - no shell is what is wanted
        except (OSError, ValueError) as error:
            os.write(report, f"{step}: {kernel.error_name(getattr(error, 'errno', None))}".encode())
        finally:
            os._exit(127)

    def _drop(self) -> None:
        """Take an identity and lose every capability with it (capabilities(7))."""
        os.setgroups([])
        os.setresgid(self._gid, self._gid, self._gid)
        os.setresuid(self._uid, self._uid, self._uid)
        kernel.drop_capabilities()
