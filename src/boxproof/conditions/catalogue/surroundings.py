# SPDX-License-Identifier: MIT
"""What a host lacks around the helper: devices, room, privileges, descriptors. All of it is the kernel's own refusal.

A /proc of which anything is hidden keeps a new user namespace from mounting another (``mount_too_revealing()`` in
``fs/namespace.c``); binds over files count, and locked they are as soon as a user namespace is made.
Sources: proc(5), setrlimit(2), prctl(2), containers/bubblewrap#284.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from boxproof.conditions.condition import Canary, Condition, Plan, Step

_OFTEN_MASKED: Final = ("/proc/kcore", "/proc/timer_list", "/proc/keys", "/proc/sysrq-trigger")
_TMP: Final = ("{tmp}", "/tmp")  # noqa: S108 - what helpers use whatever TMPDIR says
_DESCRIPTORS: Final = 24
_REPORTS: Final = {"proc-masked": ("containers/bubblewrap#284",), "proc-hidepid": ("containers/bubblewrap#198",)}


def surrounding_conditions() -> Iterator[Condition]:
    """Iterate over them."""
    yield _mounted(
        "proc-masked",
        "parts of /proc are hidden, as containers do",
        ("hide", *_OFTEN_MASKED),
        Canary("mount-proc", "EPERM"),
        "proc-mount",
    )
    yield _mounted(
        "proc-hidepid",
        "/proc does not show the processes of others",
        ("proc", "hidepid=2"),
        Canary("stat", "ENOENT", ("/proc/1",)),
        "proc-mount",
    )
    for device in ("shm", "null"):
        missing = Canary("stat", "ENOENT", (f"/dev/{device}",))
        yield _mounted(
            f"no-dev-{device}", f"/dev/{device} is missing", ("without-device", device), missing, f"dev-{device}"
        )
    yield _mounted("tmp-full", "the temp folder is full", ("full", *_TMP), Canary("fill", "ENOSPC", ("{tmp}",)), "tmp")
    yield _mounted(
        "tmp-read-only",
        "the temp folder is read-only",
        ("read-only", *_TMP),
        Canary("create", "EROFS", ("{tmp}",)),
        "tmp",
    )
    yield Condition(
        name="no-new-privs",
        summary="no set-user-ID bit counts",
        fidelity="real",
        plan=Plan(no_new_privs=True),
        canaries=(Canary("no-new-privs", "1"),),
        lacks=frozenset({"setuid"}),
        about=frozenset({"no-new-privs"}),
    )
    yield _limited(
        "few-descriptors", "RLIMIT_NOFILE", _DESCRIPTORS, Canary("limit", str(_DESCRIPTORS), ("RLIMIT_NOFILE",))
    )
    yield _limited("no-processes", "RLIMIT_NPROC", 1, Canary("fork", "EAGAIN"))


def _mounted(name: str, summary: str, step: Step, canary: Canary, lacks: str) -> Condition:
    return Condition(
        name=name,
        summary=summary,
        fidelity="real",
        plan=Plan(mounts=(step,)),
        canaries=(canary,),
        lacks=frozenset({lacks}),
        about=frozenset({lacks}),
        sources=_REPORTS.get(name, ()),
    )


def _limited(name: str, limit: str, value: int, canary: Canary) -> Condition:
    return Condition(
        name=name,
        summary=f"{limit} is {value}",
        fidelity="real",
        plan=Plan(limits={limit: value}),
        canaries=(canary,),
        lacks=frozenset({limit}),
        about=frozenset({limit}),
    )
