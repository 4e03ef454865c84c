# SPDX-License-Identifier: MIT
"""What the spellings of a policy lead to on the host, for adapters whose policy format has to be told."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

from boxproof.helpers.base import Lead, Places
from boxproof.model.policy import Access, Policy


def leads_of(policy: Policy, root: str = "") -> Mapping[str, Lead]:
    """Return a `Lead` for each spelling, as this process sees it now.

    Args:
        policy: with absolute spellings.
        root: ``/proc/PID/root`` of a process whose mounts count; an absolute link on the way leads into the host.
    """
    spellings = dict.fromkeys([policy.cwd, *(rule.spelling for rule in policy.rules)])
    return {spelling: _look(spelling, root) for spelling in spellings}


def writable_cwd(policy: Policy, places: Places) -> bool:
    """Tell whether the nearest rule at or above the working folder is ``rw``, by real path where one is known."""
    return access_of_cwd(policy, places) == "rw"


def access_of_cwd(policy: Policy, places: Places) -> Access | None:
    """Return the access that the nearest rule at or above the working folder gives, ``None`` where none does."""
    cwd = places.lead(policy.cwd).real or policy.cwd
    return max(_above(cwd, policy, places), default=(0, None), key=lambda found: found[0])[1]


def _above(cwd: str, policy: Policy, places: Places) -> Iterator[tuple[int, Access | None]]:
    for rule in policy.rules:
        real = places.lead(rule.spelling).real or rule.spelling
        if cwd == real or cwd.startswith(real.rstrip("/") + "/"):
            yield len(real), rule.access


def _look(spelling: str, root: str) -> Lead:
    parent = _real(spelling[: spelling.rfind("/")] or "/", root)
    try:
        mode = os.stat(root + spelling).st_mode
    except (OSError, ValueError):
        return Lead("missing", "", parent)
    return Lead("folder" if stat.S_ISDIR(mode) else "file", _real(spelling, root), parent)


def _real(path: str, root: str) -> str:
    try:
        return os.path.realpath(root + path, strict=True).removeprefix(root) or "/"
    except (OSError, ValueError):
        return ""
