# SPDX-License-Identifier: MIT
"""What Landlock's three system calls answer on a kernel of another ABI.

The true kernel must know more than the one that is imitated: a question that both answer alike is left to it, so that
it enforces exactly what the older one would have. Sources: ``security/landlock/syscalls.c`` of Linux 5.13 to 6.18,
landlock(7), ``Documentation/userspace-api/landlock.rst``. Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

import errno
from typing import Final, Optional

CREATE_VERSION: Final = 1
CREATE_ERRATA: Final = 2
RULE_NET_PORT: Final = 2

_ACCESS_FS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 7: 16}
"""By ABI, how many of the bits of ``handled_access_fs`` are known."""
_NET_FROM, _SCOPE_FROM, _LOG_FLAGS_FROM = 4, 6, 7
_TWO_BITS: Final = 0b11
_WORD: Final = 8
_PAGE: Final = 4096

Answer = Optional[int]  # noqa: UP045 - evaluated at run time, by Python 3.9 too
"""A version, or an errno below zero; none: as the true kernel answers."""


class Abi:
    """Landlock of one ABI.

    Args:
        has: the ABI that is imitated, from 1 to 7.
        claims: the ABI that it says it is, 0 for the same; some kernels of Enterprise Linux 9 claim one too many.
    """

    def __init__(self, has: int, claims: int = 0) -> None:
        self._has = has
        self._claims = claims or has
        self._words = (_ACCESS_FS[has], 2, 2)[: 1 + (has >= _NET_FROM) + (has >= _SCOPE_FROM)]

    def create_ruleset(self, attribute: bytes | None, size: int, flags: int) -> Answer:
        """Answer ``landlock_create_ruleset(2)``.

        Args:
            attribute: what the first argument leads to, up to `size` bytes; none where it leads nowhere.
            size: the second argument.
            flags: the third.
        """
        if flags:
            return self._about_itself(flags) if attribute is None and not size else None
        if attribute is None or not _WORD <= size <= _PAGE or len(attribute) < size:
            return None
        known = _WORD * len(self._words)
        if any(attribute[known:size]):
            return -errno.E2BIG
        handled = (int.from_bytes(attribute[at : min(at + _WORD, size)], "little") for at in range(0, known, _WORD))
        return -errno.EINVAL if any(word >> bits for word, bits in zip(handled, self._words, strict=False)) else None

    def add_rule(self, kind: int, flags: int) -> Answer:
        """Answer ``landlock_add_rule(2)`` for a descriptor that is a ruleset."""
        return -errno.EINVAL if not flags and kind == RULE_NET_PORT and self._has < _NET_FROM else None

    def restrict_self(self, flags: int) -> Answer:
        """Answer ``landlock_restrict_self(2)`` for a caller that may restrict itself."""
        return -errno.EINVAL if flags and self._has < _LOG_FLAGS_FROM else None

    def _about_itself(self, flags: int) -> Answer:
        if flags == CREATE_VERSION:
            return self._claims
        return -errno.EINVAL if flags == CREATE_ERRATA else None
