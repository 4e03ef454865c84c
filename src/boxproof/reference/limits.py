# SPDX-License-Identifier: MIT
"""Room for the descriptors that hold a policy's objects, and the caller's limit back for the command (START-5, PROC-7).

`resource` is imported only where the limit is too low, which takes hundreds of rules.
"""

from __future__ import annotations

import os

from .refusal import Refused

OTHERS = 128
"""Descriptors beside those of the rules: system folders, folders on the way, pipes."""


def make_room(rules: int) -> tuple[int, int] | None:
    """Raise the limit of open descriptors for that many rules; gives the caller's limits where they were changed.

    Raises:
        Refused: the hard limit is too low.
    """
    wanted = 2 * rules + OTHERS
    if os.sysconf("SC_OPEN_MAX") >= wanted:
        return None
    import resource  # noqa: PLC0415 - seldom needed

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limits[1] != resource.RLIM_INFINITY and limits[1] < wanted:
        why = f"takes {wanted} open descriptors, and the hard limit is {limits[1]}"
        raise Refused(f"policy of {rules} rules", why, "use fewer or wider rules, or raise the limit")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, limits[1]))
    return limits


def restore(limits: tuple[int, int] | None) -> None:
    """Give the caller's limits to what this process becomes."""
    if limits:
        import resource  # noqa: PLC0415 - as above

        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
