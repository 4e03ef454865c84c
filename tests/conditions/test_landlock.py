# SPDX-License-Identifier: MIT
from __future__ import annotations

import ctypes
import errno
import os
import struct
from pathlib import Path

import pytest

from boxproof.conditions.landlock import Abi
from boxproof.conditions.registry import find_condition
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.command import Command
from boxproof.grounds.launch import Launcher

_CREATE = 444
_libc = ctypes.CDLL(None, use_errno=True)


def _native() -> int:
    return int(_libc.syscall(_CREATE, None, ctypes.c_size_t(0), 1))


def _create(attribute: bytes | None, size: int, flags: int) -> int:
    """Ask the kernel: an errno below zero, a version, or 0 for a ruleset."""
    result = int(_libc.syscall(_CREATE, attribute, ctypes.c_size_t(size), ctypes.c_uint(flags)))
    if result < 0:
        return -ctypes.get_errno()
    if not flags:
        os.close(result)
    return 0 if not flags else result


def _attributes() -> list[tuple[bytes | None, int, int]]:
    """Return what is asked: each bit, each size, each kind of trailing byte, the questions about itself."""
    words = [(1 << bit, 0, 0) for bit in range(20)] + [(1, 1 << bit, 0) for bit in range(4)]
    words += [(1, 0, 1 << bit) for bit in range(4)] + [(0, 0, 0), ((1 << 13) - 1, 3, 3)]
    asked: list[tuple[bytes | None, int, int]] = [(struct.pack("<3Q", *word), 24, 0) for word in words]
    asked += [(struct.pack("<3Q", 1, 0, 0), size, 0) for size in (0, 1, 7, 8, 9, 15, 16, 17, 23)]
    asked += [(struct.pack("<Q", 1) + bytes(24) + tail, 33, 0) for tail in (b"\0", b"\1")]
    asked += [(bytes(5000), 5000, 0), (None, 0, 0), (None, 8, 0), (None, 0, 1), (None, 0, 4), (None, 8, 1)]
    return [*asked, (struct.pack("<Q", 1), 8, 1)]


@pytest.mark.skipif(_native() < 1, reason="this kernel has no Landlock to compare with")
def test_the_hosts_own_abi_answers_as_the_kernel_does() -> None:
    asked = _attributes()
    assert len(asked) >= 40
    abi = Abi(min(_native(), 7))
    for attribute, size, flags in asked:
        ours = abi.create_ruleset(attribute, size, flags)
        # none: the question is the kernel's to answer
        assert ours is None or ours == _create(attribute, size, flags), (attribute, size, flags)


@pytest.mark.parametrize(
    ("has", "words", "size", "answer"),
    (
        (1, (1 << 13, 0, 0), 8, -errno.EINVAL),
        (2, (1 << 13, 0, 0), 8, None),
        (2, (1 << 14, 0, 0), 8, -errno.EINVAL),
        (3, (1 << 14, 0, 0), 24, None),
        (3, (1, 1, 0), 24, -errno.E2BIG),
        (3, (1, 0, 0), 24, None),
        (4, (1, 4, 0), 16, -errno.EINVAL),
        (4, (1 << 15, 0, 0), 16, -errno.EINVAL),
        (5, (1 << 15, 3, 0), 16, None),
        (5, (1, 0, 1), 24, -errno.E2BIG),
        (6, (1, 0, 3), 24, None),
        (6, (1, 0, 4), 24, -errno.EINVAL),
    ),
)
def test_each_abi_knows_what_it_knows(has: int, words: tuple[int, ...], size: int, answer: int | None) -> None:
    assert Abi(has).create_ruleset(struct.pack("<3Q", *words)[:size], size, 0) == answer


def test_a_kernel_may_claim_more_than_it_has() -> None:
    abi = Abi(5, claims=6)
    assert abi.create_ruleset(None, 0, 1) == 6
    assert abi.create_ruleset(struct.pack("<3Q", 1, 0, 1), 24, 0) == -errno.E2BIG


def test_the_other_two_calls_refuse_what_is_newer() -> None:
    assert Abi(3).add_rule(2, 0) == -errno.EINVAL
    assert Abi(4).add_rule(2, 0) is None
    assert Abi(6).restrict_self(1) == -errno.EINVAL
    assert Abi(7).restrict_self(1) is None


_TRUNCATES = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
version = libc.syscall(444, None, ctypes.c_size_t(0), 1)
bits = (1 << {1: 13, 2: 14}.get(version, 15)) - 1
attribute = struct.pack("<Q", bits)
ruleset = libc.syscall(444, attribute, ctypes.c_size_t(8), 0)
libc.prctl(38, 1, 0, 0, 0)
print(version, libc.syscall(446, ruleset, 0))
try:
    os.truncate(sys.argv[1], 0)
    print("truncated")
except OSError as error:
    print(error.errno)
"""


@pytest.mark.skipif(_native() < 3, reason="this kernel's Landlock cannot keep files from being truncated")
@pytest.mark.parametrize(("abi", "outcome"), ((1, "truncated"), (2, "truncated"), (3, str(errno.EACCES))))
def test_the_kernel_enforces_what_the_older_one_would_have(abi: int, outcome: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("x")
    with Launcher(launch_user("root" if os.geteuid() == 0 else "user")) as launcher:
        launch = launcher.launch(
            Command(
                ["python3", "-I", "-S", "-c", _TRUNCATES, str(victim)],
                executable="/usr/bin/python3",
                env={},
                cwd="/",
                deadline=20,
                condition=find_condition(f"landlock-abi-{abi}").plan.request({"tmp": str(tmp_path)}),
            )
        )
    assert launch.stdout.decode().split() == [str(abi), "0", outcome]
