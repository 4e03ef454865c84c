# SPDX-License-Identifier: MIT
"""What a report says of the host that a run was on."""

from __future__ import annotations

from attrs import frozen


@frozen
class Bwrap:
    """The bubblewrap that helpers find on PATH.

    Args:
        link_class: what it does with a link as destination: ``refuse`` (0.12 and later), ``escape`` (relative links are
            followed, absolute ones fail), ``follow`` (both work), or ``unknown`` where it does not start.
    """

    path: str
    version: str
    link_class: str


@frozen
class Host:
    """Where a run was.

    Args:
        lsm: the Linux security modules in force; empty where the kernel does not tell.
        landlock_abi: as landlock_create_ruleset(2) tells, or ``None`` where there is none.
        userns: whether the launch user can make a user namespace: ``yes``, ``no`` or ``unknown``.
        uid: who launches run as.
        bwrap: ``None`` where there is none.
    """

    kernel: str
    distribution: str
    lsm: tuple[str, ...]
    landlock_abi: int | None
    userns: str
    uid: int
    bwrap: Bwrap | None
