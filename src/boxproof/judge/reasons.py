# SPDX-License-Identifier: MIT
"""What a refusal's reason names: the mechanism that the host lacks, an errno, the step that failed, a remedy.

Only what is named counts, never how it is worded: any of a mechanism's usual names will do (FALL-1, FALL-8).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen

_NAMESPACES: Final = r"name-?spaces?|userns|unshare|clone\b|[ug]id.?map|CLONE_NEW"
_MECHANISMS: Final[Mapping[str, str]] = {
    "landlock": r"landlock",
    "userns": rf"{_NAMESPACES}|capabilit|setuid|bwrap|bubblewrap",
    "netns": rf"{_NAMESPACES}|network|loopback",
    "pidns": rf"{_NAMESPACES}|\bpid\b",
    "loopback": r"loopback|network|RTM_NEWADDR|netlink",
    "bwrap": r"bwrap|bubblewrap",
    "mount": r"mount|bwrap|bubblewrap|\bslave\b",
    "pivot_root": r"pivot_?root|\broot\b",
    "proc-mount": r"\bproc\b|/proc",
    "seccomp": r"seccomp|filter",
    "dev-null": r"/dev/null|\bdev\b",
    "dev-shm": r"\bshm\b|\bdev\b",
    "tmp": r"\btmp|temp|no space|read-only",
    "RLIMIT_NOFILE": r"open files|descriptor|file limit|nofile",
    "RLIMIT_NPROC": r"fork|process|thread|resource",
}
"""By what a condition takes away, how it is usually called. bubblewrap's own name stands for what it alone needs."""
_STEPS: Final = r"mount|pivot_root|unshare|clone|fork|exec|open|uid.?map|loopback|seccomp|landlock|ruleset|namespace"
_REMEDIES: Final = r"\b(install|enable|allow|set|use|give|run|check|upgrade|update|needs?|requires?|see|correct|add)\b"
_MESSAGES: Final = frozenset(
    os.strerror(number) for number in (1, 2, 4, 11, 12, 13, 16, 17, 20, 22, 24, 28, 30, 38, 40, 95)
)
_ERRNO: Final = r"\bE[A-Z]{3,12}\b|\berrno\b|os error \d+"


@frozen
class Named:
    """What a reason names."""

    mechanism: bool
    errno: bool
    step: bool
    remedy: bool

    def __str__(self) -> str:
        """Return the names of what is named, or ``nothing``."""
        named = [name for name in ("mechanism", "errno", "step", "remedy") if getattr(self, name)]
        return ", ".join(named) or "nothing"


def named(text: str, lacks: Iterable[str]) -> Named:
    """Return what a reason names.

    Args:
        text: what the helper wrote on stderr.
        lacks: what the host lacks, in the words of `Condition.lacks`.
    """
    return Named(
        mechanism=any(_says(text, _MECHANISMS.get(_without_number(word), re.escape(word))) for word in lacks),
        errno=_says(text, _ERRNO, flags=0) or any(message.lower() in text.lower() for message in _MESSAGES),
        step=_says(text, _STEPS),
        remedy=_says(text, _REMEDIES),
    )


def names_option_or_version(text: str) -> bool:
    """Tell whether a reason names a command-line option or a version (FALL-8)."""
    return _says(text, r"(?<!\S)['\"`]?--[a-z][a-z-]+|\bversion\b|\b\d+\.\d+(\.\d+)?\b|too old")


def _without_number(word: str) -> str:
    return "landlock" if word.startswith("landlock") else word


def _says(text: str, pattern: str, *, flags: int = re.IGNORECASE) -> bool:
    return re.search(pattern, text, flags) is not None
