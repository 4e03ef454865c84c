# SPDX-License-Identifier: MIT
"""Nothing of a farm stays, whatever a helper made of it, and nothing else is touched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from boxproof.errors import GroundError
from boxproof.farm import AREAS, Farm
from boxproof.grounds.accounts import LaunchUser
from boxproof.model.topology import Topology
from boxproof.model.tree import parse_tree
from tests.farm.conftest import Mounts, names

TREE = parse_tree("""
    ws/
    ws/file             file
    ws/locked/          mode=0000
    ws/locked/in/       mode=0000
    ws/locked/in/id     file mode=0000
    locked/             mode=0000
    locked/in/          mode=0500
    locked/in/id        file
    ws/out              -> {farm}/../../elsewhere
    """)


@pytest.fixture
def elsewhere(base: Path) -> Iterator[Path]:
    """A folder beside the farm's areas that stands for the rest of the host."""
    folder = base / "elsewhere"
    (folder / "sub").mkdir(parents=True)
    (folder / "precious").write_text("precious")
    (folder / "sub" / "policy").write_text("precious")
    (folder / "sub").chmod(0o500)
    state = _state(folder)
    yield folder
    assert _state(folder) == state
    (folder / "sub").chmod(0o700)
    shutil.rmtree(folder)


def _state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_uid, path.read_bytes() if path.is_file() else b"")
        for path in (folder, *folder.rglob("*"))
    }


def test_everything_goes_closed_folders_too(farm: Farm, base: Path) -> None:
    farm.build(TREE, "k")
    farm.clear()
    assert names(base) == set(AREAS)


def test_everything_goes_that_came_later(farm: Farm, base: Path) -> None:
    farm.build(Topology(()), "k")
    for area in AREAS:
        folder = Path(farm.area(area), "left", "behind")
        folder.mkdir(parents=True)
        (folder / "file").write_text("x")
        folder.chmod(0o000)
        folder.parent.chmod(0o000)
    farm.clear()
    assert names(base) == set(AREAS)


def test_a_block_that_ends_leaves_nothing(base: Path, user: LaunchUser) -> None:
    with Farm(base, user.uid, user.gid) as farm:
        farm.build(TREE, "k")
    assert names(base) == set(AREAS)


def test_a_block_that_fails_leaves_nothing(base: Path, user: LaunchUser) -> None:
    with suppress(ZeroDivisionError), Farm(base, user.uid, user.gid) as farm:
        farm.build(TREE, "k")
        raise ZeroDivisionError
    assert names(base) == set(AREAS)


def test_a_build_that_fails_leaves_nothing(base: Path, user: LaunchUser) -> None:
    tree = parse_tree(f"ws/\nws/file file\nagent socket listening\nlink -> {'x' * 5000}\n")
    with pytest.raises(GroundError), Farm(base, user.uid, user.gid) as farm:
        farm.build(tree, "k")
    assert names(base) == set(AREAS)


def test_clearing_twice_is_clearing(farm: Farm, base: Path) -> None:
    farm.build(TREE, "k")
    farm.clear()
    farm.clear()
    assert names(base) == set(AREAS)


def test_a_farm_that_was_never_built_is_cleared(farm: Farm, base: Path) -> None:
    farm.clear()
    assert names(base) == set()


@pytest.mark.parametrize("act", (Farm.clear, lambda farm: farm.build(TREE, "k")), ids=("clear", "build"))
@pytest.mark.parametrize("area", AREAS)
def test_a_link_in_an_areas_place_is_not_followed(
    farm: Farm, elsewhere: Path, area: str, act: Callable[[Farm], None]
) -> None:
    farm.build(TREE, "k")
    _replace(farm.area(area), elsewhere)
    act(farm)
    assert not os.path.islink(farm.area(area))


def test_a_link_in_the_place_of_an_entry_is_not_followed(farm: Farm, elsewhere: Path) -> None:
    farm.build(TREE, "k")
    _replace(f"{farm.path}/ws", elsewhere)
    os.symlink(elsewhere, f"{farm.path}/locked2")
    farm.clear()
    assert os.listdir(farm.path) == []


@pytest.mark.parametrize("area", AREAS)
def test_a_file_in_an_areas_place_goes(farm: Farm, base: Path, area: str) -> None:
    farm.build(Topology(()), "k")
    shutil.rmtree(farm.area(area))
    Path(farm.area(area)).write_text("x")
    farm.clear()
    assert not os.path.isfile(farm.area(area))
    farm.build(TREE, "k")
    assert set(AREAS) <= names(base)


@pytest.mark.parametrize("area", AREAS)
def test_an_area_that_was_closed_is_cleared_and_built(farm: Farm, base: Path, area: str) -> None:
    farm.build(TREE, "k")
    os.chmod(farm.area(area), 0o000)
    farm.clear()
    assert names(base) == set(AREAS)
    os.chmod(farm.area(area), 0o000)
    farm.build(Topology(()), "k")
    assert os.lstat(farm.area(area)).st_mode & 0o755 == 0o755


def test_an_area_that_is_gone_is_made_again(farm: Farm, base: Path) -> None:
    farm.build(TREE, "k")
    shutil.rmtree(farm.area("home"))
    farm.clear()
    farm.build(Topology(()), "k")
    assert set(AREAS) <= names(base)


def test_the_files_of_a_launch_are_not_written_through_a_link(farm: Farm, elsewhere: Path) -> None:
    farm.build(TREE, "k")
    _replace(farm.area("files"), elsewhere / "sub")
    farm.write_files({"policy": b"ours", "new": b"ours"}, {"link": "ours"})
    assert not os.path.islink(farm.area("files"))
    assert Path(farm.area("files"), "policy").read_bytes() == b"ours"


def test_a_file_of_a_launch_is_not_written_through_a_link(farm: Farm, elsewhere: Path) -> None:
    farm.build(TREE, "k")
    os.symlink(elsewhere / "precious", farm.area("files/policy"))
    farm.write_files({"policy": b"ours"}, {})
    assert Path(farm.area("files/policy")).read_bytes() == b"ours"
    assert not os.path.islink(farm.area("files/policy"))


def test_files_go_although_a_mount_does_not(base: Path, user: LaunchUser, mounts: Mounts) -> None:
    mounts.trouble = GroundError("cannot unmount")
    farm = Farm(base, user.uid, user.gid, mounts)
    farm.build(parse_tree("disk/ tmpfs\ndisk/file file\nagent socket listening"), "k")
    with pytest.raises(GroundError, match="cannot unmount"):
        farm.clear()
    assert names(base) == set(AREAS)
    assert farm._listeners == []


def _replace(path: str, target: Path) -> None:
    os.rename(path, f"{path}.old")
    os.symlink(target, path)


def test_a_base_that_a_helper_took_away_holds_nothing(base: Path, user: LaunchUser) -> None:
    (base / "run").mkdir()
    farm = Farm(base / "run", user.uid, user.gid)
    farm.build(Topology(()), "k")
    shutil.rmtree(base / "run")
    assert farm.snapshot() == {}
    farm.clear()


def test_a_link_in_the_bases_place_is_not_followed(base: Path, user: LaunchUser) -> None:
    (base / "run").mkdir()
    (base / "other").mkdir()
    farm, other = Farm(base / "run", user.uid, user.gid), Farm(base / "other", user.uid, user.gid)
    farm.build(Topology(()), "k")
    other.build(TREE, "k")
    before = names(base / "other")
    _replace(str(base / "run"), base / "other")
    assert farm.snapshot() == {}
    farm.clear()
    assert names(base / "other") == before
    other.clear()
