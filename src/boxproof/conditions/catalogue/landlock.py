# SPDX-License-Identifier: MIT
"""Landlock missing, off, forbidden, old, or older than it says.

A kernel without it answers ENOSYS, one that was not booted with it EOPNOTSUPP to all three calls before it looks at an
argument, an old container filter EPERM. Sources: landlock(7), ``security/landlock/syscalls.c``, moby/moby#43199.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Final

from boxproof.conditions.bpf import NOTIFY, Rule
from boxproof.conditions.condition import Canary, Condition, Plan

_CALLS: Final = ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")
_ABIS: Final = range(1, 7)
_SINCE: Final = {1: "5.13", 2: "5.19", 3: "6.2", 4: "6.7", 5: "6.10", 6: "6.12"}


def landlock_conditions() -> Iterator[Condition]:
    """Iterate over them."""
    yield _failing("no-landlock", errno.ENOSYS, "the kernel has no Landlock", "hashicorp/nomad-driver-exec2#53")
    yield _failing("landlock-off", errno.EOPNOTSUPP, "Landlock is compiled in, and not booted with", "")
    yield _failing("landlock-forbidden", errno.EPERM, "a container's filter forbids Landlock", "moby/moby#43199")
    for abi in _ABIS:
        yield _old(f"landlock-abi-{abi}", f"Landlock ABI {abi}, as Linux {_SINCE[abi]} has it", abi, abi)
    yield _old("landlock-claims-6-has-5", "Landlock says ABI 6 and has 5, as some kernels of EL 9", 5, 6)


def _failing(name: str, number: int, summary: str, source: str) -> Condition:
    return Condition(
        name=name,
        summary=summary,
        fidelity="equivalent",
        plan=Plan(rules=(Rule(_CALLS, number),)),
        canaries=tuple(Canary("call", errno.errorcode[number], (call,)) for call in _CALLS),
        lacks=frozenset({"landlock"}),
        about=frozenset({"landlock"}),
        sources=(source,) if source else (),
    )


def _old(name: str, summary: str, has: int, claims: int) -> Condition:
    rules = (Rule(_CALLS, NOTIFY), Rule(("seccomp",), NOTIFY))
    return Condition(
        name=name,
        summary=summary,
        fidelity="equivalent",
        plan=Plan(rules=rules, supervise={"landlock": (has, claims)}),
        canaries=(Canary("landlock-version", str(claims)), Canary("landlock-beyond", "refused", (str(has),))),
        lacks=frozenset({f"landlock-above-{has}"}),
        about=frozenset({"landlock", "listener"}),
        sources=("tukaani-project/xz#199",) if has != claims else (),
    )
