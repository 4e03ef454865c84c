# SPDX-License-Identifier: MIT
"""Room for the descriptors that hold a policy's objects, and the caller's limit back for the command (START-5, PROC-7).

`resource` is imported only where the limit is too low, which takes hundreds of rules.
"""

from __future__ import annotations

import os

OTHERS = 256
"""Descriptors beside those of the rules: system folders, folders that `held.Root` keeps, pipes."""


def make_room(rules: int) -> tuple[int, int] | None:
    """Raise the limit of open descriptors for that many rules; gives the caller's limits where they were changed.

    Where the hard limit is lower, there may be room all the same; if there is not, `main.answered` says so.
    """
    wanted = 2 * rules + OTHERS
    if os.sysconf("SC_OPEN_MAX") >= wanted:
        return None
    import resource  # noqa: PLC0415 - seldom needed

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if limits[1] == resource.RLIM_INFINITY else min(wanted, limits[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, limits[1]))
    return limits


def restore(limits: tuple[int, int] | None) -> None:
    """Give the caller's limits to what this process becomes."""
    if limits:
        import resource  # noqa: PLC0415 - as above

        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
