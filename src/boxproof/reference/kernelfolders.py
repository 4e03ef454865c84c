# SPDX-License-Identifier: MIT
"""Rules about /proc and /dev, of which the sandbox has its own.

A grant there is mostly in force already. A deny cannot be: the denied thing is not what the command would see.
"""

from __future__ import annotations

import stat

from .paths import at_or_below
from .refusal import Refused, shown
from .resolve import Found
from .view import DENY, RO

OWN_DEVICES = (b"/dev/full", b"/dev/null", b"/dev/random", b"/dev/tty", b"/dev/urandom", b"/dev/zero")
"""Device nodes that bwrap puts into a new /dev."""

_ADVICE = "leave the rule out: the sandbox has its own /proc and /dev"


def check(found: Found) -> None:
    """Refuse a rule that the new /proc and /dev neither satisfy nor leave room for (MASK-8)."""
    way = found.walk
    if any(at_or_below(link, b"/proc") for link, _ in way.links) and not at_or_below(way.real, b"/proc"):
        raise Refused(shown(way.spelling), "leads out of /proc by a link that only this process has", _ADVICE)
    if at_or_below(way.real, b"/proc") and (found.access == DENY or not (way.error or satisfied(found))):
        raise Refused(f"{found.access} {shown(way.spelling)}", "leads into /proc, which is new in the sandbox", _ADVICE)
    if not way.error and of_new_dev(found) and not satisfied(found):
        raise Refused(
            f"{found.access} {shown(way.spelling)}", "leads to a device of /dev, which is new in the sandbox", _ADVICE
        )


def satisfied(found: Found) -> bool:
    """Whether the new /proc and /dev grant what the rule grants, so that nothing is mounted for it."""
    real = found.walk.real
    if at_or_below(real, b"/proc"):
        return found.access == RO
    if real in OWN_DEVICES:
        return found.access != DENY
    return found.access == RO and real in (b"/dev", b"/dev/pts")


def of_new_dev(found: Found) -> bool:
    """Whether a rule leads to /dev, its terminals or a device node, and not to a file or folder kept below /dev."""
    real, mode = found.walk.real, found.walk.mode
    if not at_or_below(real, b"/dev"):
        return False
    return real == b"/dev" or at_or_below(real, b"/dev/pts") or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
