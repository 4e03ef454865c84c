# SPDX-License-Identifier: MIT
"""System call numbers, and which of them a kernel knows.

Sources: the kernel's ``arch/x86/entry/syscalls/syscall_64.tbl`` and ``include/uapi/asm-generic/unistd.h``. From 424 on
both machines number alike. Part of the launcher: standard library only, Python 3.9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_COMMON: Final[Mapping[str, int]] = {
    "pidfd_send_signal": 424,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_open": 434,
    "clone3": 435,
    "close_range": 436,
    "openat2": 437,
    "pidfd_getfd": 438,
    "faccessat2": 439,
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
    "futex_waitv": 449,
    "cachestat": 451,
    "fchmodat2": 452,
    "statmount": 457,
}

NUMBERS: Final[Mapping[str, Mapping[str, int]]] = {
    "x86_64": {
        **_COMMON,
        "open": 2,
        "sendto": 44,
        "clone": 56,
        "fork": 57,
        "vfork": 58,
        "execve": 59,
        "uname": 63,
        "ptrace": 101,
        "setns": 308,
        "prctl": 157,
        "pivot_root": 155,
        "mount": 165,
        "umount2": 166,
        "openat": 257,
        "unshare": 272,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "seccomp": 317,
        "memfd_create": 319,
    },
    "aarch64": {
        **_COMMON,
        "sendto": 206,
        "clone": 220,
        "execve": 221,
        "uname": 160,
        "ptrace": 117,
        "setns": 268,
        "prctl": 167,
        "pivot_root": 41,
        "mount": 40,
        "umount2": 39,
        "openat": 56,
        "unshare": 97,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "seccomp": 277,
        "memfd_create": 279,
    },
}
"""By ``uname -m``, from a call's name to its number; a machine lacks what newer calls replaced (open, fork, vfork)."""

LAST_CALL: Final[Mapping[str, Mapping[str, int]]] = {
    "x86_64": {"4.18": 334, "5.4": 435, "5.10": 440, "5.14": 447, "6.1": 450},
    "aarch64": {"4.18": 293, "5.4": 435, "5.10": 440, "5.14": 447, "6.1": 450},
}
"""By machine, from a kernel's version to the highest number that it knows."""
