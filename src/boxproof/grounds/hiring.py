# SPDX-License-Identifier: MIT
"""A process that stays from one launch to the next and is no helper, such as the shell of controls.

Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from boxproof.grounds.birth import Birth
from boxproof.grounds.wire import JSON


def hire(request: JSON) -> tuple[int, Sequence[int]]:
    """Start a process; return its number, and the ends of the pipes to its stdin and from its stdout.

    Args:
        request: ``argv env cwd executable uid gid given`` as `Birth` takes them.
    """
    stdin, ours = os.pipe()
    theirs, stdout = os.pipe()
    null = os.open(os.devnull, os.O_WRONLY)
    # what keeps it from starting is nowhere told: it ends, and with it the pipes
    birth = Birth({**request, "null_fds": [], "condition": None, "canary": []}, (stdin, stdout, null), report=null)
    pid = birth.start()
    for fd in (stdin, stdout, null):
        os.close(fd)
    return pid, (ours, theirs)
