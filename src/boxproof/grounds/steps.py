# SPDX-License-Identifier: MIT
"""The calls at which a helper's start can be cut: those by which processes are made, or ask to end with their parent.

A moment that is counted in calls is the same however busy the machine is, which one in milliseconds is not.
"""

from __future__ import annotations

from typing import Final

from boxproof.conditions.bpf import NOTIFY, Argument, Rule
from boxproof.conditions.condition import Plan
from boxproof.grounds.wire import JSON

_CLONE_THREAD: Final = 0x10000
_PR_SET_PDEATHSIG: Final = 1
BINDING: Final = "prctl"
"""By which a process asks for a signal at its parent's death; what happens before is not covered by it."""
_RULES: Final = (
    Rule(("execve", "fork", "vfork"), NOTIFY),
    Rule(("clone",), NOTIFY, (Argument(0, "any-bit", _CLONE_THREAD, negated=True),)),
    Rule((BINDING,), NOTIFY, (Argument(0, "equal", _PR_SET_PDEATHSIG),)),
)


def counted_calls() -> JSON:
    """Return what has the launcher count the calls, as it takes a condition."""
    return Plan(_RULES, supervise={"strike": None}).request({})


def strike_at(call: str, number: int, signal: int) -> JSON:
    """Return what has the launcher send the helper a signal at one of the calls, as it takes a condition.

    The call goes on when the helper is gone, with all that the kernel ends with it.

    Args:
        call: the name of a system call.
        number: which of these calls, from 1.
        signal: what the helper is sent.
    """
    return Plan(_RULES, supervise={"strike": [call, number, signal]}).request({})


def moments(calls: str, most: int) -> list[tuple[str, int]]:
    """Return at which calls to cut a start that made `calls`, in their order, each with its number among its like.

    All that bind a process to its parent are, and of the others as many as there is room for, spread over the start.

    Args:
        calls: the names, each followed by a blank.
        most: how many moments there may be, but for those that are always among them.
    """
    names = calls.split()
    numbered = [(name, names[: place + 1].count(name)) for place, name in enumerate(names)]
    others = [one for one in numbered if one[0] != BINDING]
    room = max(most - (len(numbered) - len(others)), 1)
    spread = others[:: -(-len(others) // room)] if others else []
    return [one for one in numbered if one[0] == BINDING or one in spread]
