# SPDX-License-Identifier: MIT
"""User namespaces refused in each way that hosts refuse them, and other namespaces that are used up.

``clone3(2)`` has its flags in memory, out of a filter's reach: it answers ENOSYS, upon which callers turn to clone(2).
Sources: user_namespaces(7), namespaces(7) for the limits, public reports at each condition.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Final

from boxproof.conditions.bpf import NOTIFY, Argument, Rule
from boxproof.conditions.condition import Canary, Condition, Plan

_CLONE_NEWUSER: Final = 0x10000000
_NAMESPACES: Final = 0x7E020000
"""Every CLONE_NEW flag that clone(2) takes."""
_O_WRITE: Final = 0o3
_O_CREAT: Final = 0o100
_NO_CLONE3: Final = Rule(("clone3",), errno.ENOSYS)
_REFUSALS: Final = {
    "EPERM": ("an AppArmor rule, or a container's filter", "containers/bubblewrap#505"),
    "EACCES": ("AppArmor 4 or SELinux forbids them", "netblue30/firejail#7078"),
    "EINVAL": ("the kernel is built without them, as WSL 1", "microsoft/WSL#2981"),
    "ENOSPC": ("none are left, as far as the caller can see", "containers/bubblewrap#798"),
}


def namespace_conditions() -> Iterator[Condition]:
    """Iterate over them."""
    for name, (cause, source) in _REFUSALS.items():
        yield _refused(name, cause, source)
    yield _sysctl()
    for kind in ("user", "net", "pid"):
        yield _used_up(kind)
    yield _ubuntu()


def forbid(flags: int, number: int) -> tuple[Rule, ...]:
    """Return the rules under which no namespace with any of `flags` can be made."""
    return (
        Rule(("unshare", "clone"), number, (Argument(0, "any-bit", flags),)),
        _NO_CLONE3,
    )


def _refused(name: str, cause: str, source: str) -> Condition:
    return Condition(
        name=f"no-userns-{name.lower()}",
        summary=f"user namespaces fail with {name}: {cause}",
        fidelity="equivalent",
        plan=Plan(rules=forbid(_CLONE_NEWUSER, getattr(errno, name))),
        canaries=(Canary("unshare", name, ("user",)), Canary("clone", name, ("user",))),
        lacks=frozenset({"userns"}),
        about=frozenset({"userns"}),
        sources=(source,),
    )


def _sysctl() -> Condition:
    asked = Rule(("unshare", "clone"), NOTIFY, (Argument(0, "any-bit", _CLONE_NEWUSER),))
    return Condition(
        name="userns-sysctl",
        summary="kernel.unprivileged_userns_clone is 0: EPERM, but for programs that run set-user-ID root",
        fidelity="equivalent",
        plan=Plan(
            rules=(asked, _NO_CLONE3, Rule(("seccomp",), NOTIFY)),
            supervise={"userns_without_capability": errno.EPERM},
        ),
        canaries=(Canary("unshare", "EPERM", ("user",)), Canary("clone", "EPERM", ("user",))),
        lacks=frozenset({"userns"}),
        about=frozenset({"userns", "listener"}),
        sources=("openai/codex#16076",),
    )


def _used_up(kind: str) -> Condition:
    return Condition(
        name=f"{kind}ns-limit",
        summary=f"user.max_{kind}_namespaces is 0",
        fidelity="real",
        plan=Plan(namespace_limits=(kind,)),
        canaries=(Canary("unshare-in-user" if kind != "user" else "unshare", "ENOSPC", (kind,)),),
        lacks=frozenset({"userns" if kind == "user" else f"{kind}ns"}),
        about=frozenset({"userns" if kind == "user" else f"{kind}ns", "own-userns"}),
        sources=("containers/bubblewrap#798",),
    )


def _ubuntu() -> Condition:
    """Return Ubuntu 24.04's restriction: namespaces can be made, and nothing can be done in them."""
    writes_map = Rule(
        ("openat",), NOTIFY, (Argument(2, "any-bit", _O_WRITE), Argument(2, "any-bit", _O_CREAT, negated=True))
    )
    refused = Rule(("mount", "pivot_root", "umount2"), errno.EPERM)
    loopback = Rule(("sendto",), errno.EPERM, (Argument(5, "equal", 12),))
    return Condition(
        name="userns-ubuntu-24.04",
        summary="user namespaces can be made, and give no capability (Ubuntu 24.04)",
        fidelity="approximate",
        plan=Plan(
            rules=(writes_map, refused, loopback, Rule(("seccomp",), NOTIFY)), supervise={"map_files": errno.EACCES}
        ),
        canaries=(Canary("map-files", "EACCES"), Canary("mount", "EPERM")),
        lacks=frozenset({"userns"}),
        about=frozenset({"userns", "listener", "mount"}),
        sources=("openai/codex#15057", "anthropic-experimental/sandbox-runtime#74"),
    )


def docker_default() -> Condition:
    """Return what docker's default filter forbids to a caller without capabilities."""
    forbidden = ("unshare", "setns", "mount", "umount2", "pivot_root", "open_tree", "move_mount", "fsopen", "fsmount")
    clone = Rule(("clone",), errno.EPERM, (Argument(0, "any-bit", _NAMESPACES),))
    return Condition(
        name="docker-default",
        summary="docker's default filter: no namespace and no mount can be made",
        fidelity="equivalent",
        plan=Plan(rules=(Rule(forbidden, errno.EPERM), clone, _NO_CLONE3)),
        canaries=(
            Canary("unshare", "EPERM", ("user",)),
            Canary("clone", "EPERM", ("user",)),
            Canary("call", "EPERM", ("mount",)),
            Canary("call", "ENOSYS", ("clone3",)),
        ),
        lacks=frozenset({"userns", "mount"}),
        about=frozenset({"userns", "mount"}),
        sources=("moby/profiles", "containers/bubblewrap#505"),
    )
