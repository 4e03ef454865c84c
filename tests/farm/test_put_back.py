# SPDX-License-Identifier: MIT
"""A farm put back is the farm as it was built, or it says that it is not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from boxproof.farm import CANARY, Farm
from boxproof.grounds.accounts import LaunchUser
from boxproof.model.tree import parse_tree
from boxproof.snapshot import CONTENT_MAX
from tests.farm.conftest import Mounts

TREE = parse_tree("""
    ws/
    ws/file     file
    ws/again    = ws/file
    ws/run      file mode=4755
    ws/link     -> file
    ws/pipe     fifo
    store/
    """)


def _append(farm: Farm) -> None:
    for path in (f"{farm.path}/ws/file", f"{farm.path}/ws/again", farm.area(CANARY)):
        with open(path, "ab") as file:
            file.write(b"mark\n")


def _add(farm: Farm) -> None:
    os.makedirs(f"{farm.path}/store/new/deep")
    Path(f"{farm.path}/store/new/deep/file").write_text("x")
    Path(farm.area("home"), "link").symlink_to("/")
    Path(farm.area("tmp"), "file").write_text("x")


def _touch(farm: Farm) -> None:
    os.utime(f"{farm.path}/ws/file", (1, 1))


@pytest.mark.parametrize("change", (lambda _: None, _append, _add, _touch))
def test_what_was_written_and_added_is_undone(farm: Farm, change: Callable[[Farm], None]) -> None:
    farm.build(TREE, "k")
    before = farm.snapshot()
    change(farm)
    assert farm.put_back(before, farm.snapshot())
    assert farm.snapshot() == before


def _remove(farm: Farm) -> None:
    os.unlink(f"{farm.path}/ws/again")


def _exchange(farm: Farm) -> None:
    os.rename(f"{farm.path}/ws/file", f"{farm.path}/ws/run")


def _open_up(farm: Farm) -> None:
    os.chmod(f"{farm.path}/store", 0o700)


def _point(farm: Farm) -> None:
    os.unlink(f"{farm.path}/ws/link")
    os.symlink("run", f"{farm.path}/ws/link")


def _replace(farm: Farm) -> None:
    os.unlink(f"{farm.path}/ws/run")
    os.mkdir(f"{farm.path}/ws/run")


def _touch_special(farm: Farm) -> None:
    os.utime(f"{farm.path}/ws/pipe", (1, 1))


@pytest.mark.parametrize("change", (_remove, _exchange, _open_up, _point, _replace, _touch_special))
def test_anything_else_has_to_be_built_again(farm: Farm, change: Callable[[Farm], None]) -> None:
    farm.build(TREE, "k")
    before = farm.snapshot()
    change(farm)
    changed = farm.snapshot()
    assert not farm.put_back(before, changed)
    assert farm.snapshot() == changed


def test_a_file_that_was_not_read_to_its_end_cannot_be_written_again(farm: Farm) -> None:
    farm.build(TREE, "k")
    large = Path(farm.area("home"), "large")
    large.write_bytes(b"x" * (CONTENT_MAX + 1))
    before = farm.snapshot()
    large.write_bytes(b"y")
    assert not farm.put_back(before, farm.snapshot())


def test_a_farm_with_mounts_is_always_built_again(base: Path, user: LaunchUser, mounts: Mounts) -> None:
    with Farm(base, user.uid, user.gid, mounts) as farm:
        farm.build(parse_tree("disk/ tmpfs"), "k")
        assert not farm.put_back({}, {})
