# SPDX-License-Identifier: MIT
"""A farm where a run would have it, and the proof that nothing of it stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import define, field

from boxproof.farm import Farm
from boxproof.grounds.accounts import LaunchUser, launch_user
from boxproof.grounds.host import farm_root


@define
class Mounts:
    """A mounter that says what it was asked for, and mounts nothing; it sees what everybody sees."""

    asked: list[tuple[str, ...]] = field(factory=list)
    trouble: Exception | None = None

    @property
    def root(self) -> str:
        return "/proc/self/root"

    def mount_tmpfs(self, path: str) -> None:
        self.asked.append(("tmpfs", path))

    def mount_bind(self, of: str, path: str) -> None:
        self.asked.append(("bind", of, path))

    def unmount_all(self) -> None:
        self.asked.append(("unmount",))
        if self.trouble is not None:
            raise self.trouble


@pytest.fixture
def user() -> LaunchUser:
    return launch_user()


@pytest.fixture
def base(user: LaunchUser) -> Iterator[Path]:
    """The folder of all farms of a run; it and its descriptors are gone afterwards."""
    before = set(os.listdir("/proc/self/fd"))
    with farm_root(user) as root:
        yield root
    assert not root.exists()
    assert set(os.listdir("/proc/self/fd")) == before


@pytest.fixture
def farm(base: Path, user: LaunchUser) -> Iterator[Farm]:
    with Farm(base, user.uid, user.gid) as farm:
        yield farm


@pytest.fixture
def mounts() -> Mounts:
    return Mounts()


def names(base: Path) -> set[str]:
    """Return all that lies below a folder, relative to it; folders that cannot be listed count as empty."""
    return {
        os.path.relpath(os.path.join(folder, name), base)
        for folder, folders, files in os.walk(base)
        for name in (*folders, *files)
    }
