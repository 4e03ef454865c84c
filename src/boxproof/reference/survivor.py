# SPDX-License-Identifier: MIT
"""Two processes: the one that was started waits, the one behind it works and outlives a SIGKILL of the first (HOST-3).

``--die-with-parent`` is not enough: bwrap asks for it late, and killed before that it leaves a command running, or a
first process that waits for ever. So whoever starts bwrap has to survive, to stop it, see what it made, and kill that.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from . import processes
from .refusal import REFUSED
from .signals import Inbox


def behind(work: Callable[[int], int], mask: set[int]) -> int:
    """Do `work` in a second process and give its status; `mask` is the caller's signal mask.

    `work` gets a descriptor that shows the end of the file once this process is gone, however it went. The second
    process is in a session of its own, so that a signal to the caller's process group reaches the first alone.
    """
    lifeline, held = os.pipe()
    second = os.fork()
    if second == 0:
        status = REFUSED
        try:
            os.close(held)
            os.set_blocking(lifeline, False)
            os.setsid()
            status = work(lifeline)
        finally:
            os._exit(status)
    os.close(lifeline)
    return relay(second, Inbox(mask))


def relay(second: int, inbox: Inbox) -> int:
    """Pass signals on until the second process has ended; gives its status."""
    while True:
        status = processes.reaped(second)
        if status is not None:
            return status
        inbox.wait()
        for number in inbox.taken():
            os.kill(second, number)
