# SPDX-License-Identifier: MIT
"""Single steps that a host refuses: mounting, pivoting, raising the loopback, filters; and kernels without newer calls.

bubblewrap raises the loopback by a ``sendto(2)`` whose address is of netlink's size, 12 bytes; other addresses are
longer. Sources: mount(2), pivot_root(2), rtnetlink(7), seccomp(2), reports at each condition.
"""

from __future__ import annotations

import errno
import platform
from collections.abc import Iterator
from typing import Final

from boxproof.conditions.bpf import Argument, Rule
from boxproof.conditions.condition import Canary, Condition, Fidelity, Plan
from boxproof.conditions.numbers import LAST_CALL, NUMBERS

_NETLINK_ADDRESS: Final = 12
_SET_MODE_FILTER: Final = 1
_PR_SET_SECCOMP: Final = 22


def step_conditions() -> Iterator[Condition]:
    """Iterate over them."""
    yield _call("no-mount", "mount(2) is refused", ("mount",), errno.EPERM, "containers/bubblewrap#505")
    yield _call("no-pivot-root", "pivot_root(2) is refused", ("pivot_root",), errno.EPERM, "containers/bubblewrap#592")
    yield _call("no-openat2", "openat2(2) is unknown", ("openat2",), errno.ENOSYS, "")
    yield _call("no-clone3", "clone3(2) is unknown", ("clone3",), errno.ENOSYS, "moby/moby#42680")
    yield _call("no-close-range", "close_range(2) is unknown", ("close_range",), errno.ENOSYS, "")
    yield _call("no-pidfd", "pidfd_open(2) is unknown", ("pidfd_open",), errno.ENOSYS, "")
    yield _call("no-memfd", "memfd_create(2) is unknown", ("memfd_create",), errno.ENOSYS, "")
    yield _call("no-ptrace", "ptrace(2) is refused", ("ptrace", "pidfd_getfd", "process_vm_readv"), errno.EPERM, "")
    yield _loopback()
    yield _filters()
    for version in ("4.18", "5.4", "5.10", "5.14", "6.1"):
        yield _kernel(version)


def _call(name: str, summary: str, calls: tuple[str, ...], number: int, source: str) -> Condition:
    question = "call-in-user" if calls[0] in {"mount", "pivot_root"} else "call"
    return Condition(
        name=name,
        summary=summary,
        fidelity="equivalent",
        plan=Plan(rules=(Rule(calls, number),)),
        canaries=tuple(Canary(question, errno.errorcode[number], (call,)) for call in calls),
        lacks=frozenset({calls[0]}),
        about=frozenset({calls[0]}),
        sources=(source,) if source else (),
    )


def _loopback() -> Condition:
    return Condition(
        name="no-loopback",
        summary="the loopback of a new network namespace cannot be raised",
        fidelity="equivalent",
        plan=Plan(rules=(Rule(("sendto",), errno.EPERM, (Argument(5, "equal", _NETLINK_ADDRESS),)),)),
        canaries=(Canary("loopback", "EPERM"),),
        lacks=frozenset({"loopback"}),
        about=frozenset({"loopback"}),
        sources=("openai/codex#29908",),
    )


def _filters() -> Condition:
    by_prctl = Rule(("prctl",), errno.EINVAL, (Argument(0, "equal", _PR_SET_SECCOMP),))
    by_seccomp = Rule(("seccomp",), errno.EINVAL, (Argument(0, "equal", _SET_MODE_FILTER),))
    return Condition(
        name="no-seccomp",
        summary="no seccomp filter can be installed",
        fidelity="equivalent",
        plan=Plan(rules=(by_prctl, by_seccomp)),
        canaries=(Canary("seccomp", "EINVAL"),),
        lacks=frozenset({"seccomp"}),
        about=frozenset({"seccomp", "listener"}),
        sources=("google/gvisor#13439",),
    )


def _kernel(version: str) -> Condition:
    last = LAST_CALL.get(platform.machine(), {}).get(version, 0)
    numbers = NUMBERS.get(platform.machine(), {})
    newer = tuple(name for name, number in numbers.items() if number > last)
    fidelity: Fidelity = "approximate"
    return Condition(
        name=f"kernel-{version}",
        summary=f"no system call that is newer than Linux {version}",
        fidelity=fidelity,
        plan=Plan(rules=(Rule((), errno.ENOSYS, beyond=last),)),
        canaries=tuple(Canary("call", "ENOSYS", (name,)) for name in newer[:3]),
        lacks=frozenset(newer) | ({"landlock"} if "landlock_create_ruleset" in newer else set()),
        about=frozenset({"kernel"}),
    )
