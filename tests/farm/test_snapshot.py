# SPDX-License-Identifier: MIT
"""What lies on disk at one moment, looked at without leaving a trace or the farm."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from boxproof.farm import AREAS, CANARY, Farm, token
from boxproof.grounds.accounts import LaunchUser
from boxproof.model.topology import Dir, File, Topology
from boxproof.model.tree import parse_tree
from boxproof.snapshot import CONTENT_MAX, Snapshot, differences, take
from tests.farm.conftest import names

TREE = parse_tree("""
    ws/
    ws/file             file
    ws/again            = ws/file
    ws/link             -> gone//x
    ws/dir              -> .
    ws/pipe             fifo
    ws/agent            socket
    ws/unread           file mode=0000
    ws/locked/          mode=0000
    ws/locked/in/       mode=0300
    ws/locked/in/id     file mode=0200
    ws/odd\\x0aname      file
    """)


def seen(farm: Farm, topology: Topology = TREE) -> Snapshot:
    farm.build(topology, "k")
    return farm.snapshot()


def test_all_that_lies_in_the_areas_is_seen(farm: Farm, base: Path) -> None:
    snapshot = seen(farm)
    inside = {f"{farm.path}/{entry.path}" for entry in TREE}
    assert snapshot.keys() == inside | {farm.area(area) for area in (*AREAS, CANARY)}
    (base / "elsewhere").write_text("x")
    assert farm.snapshot().keys() == snapshot.keys()


def test_a_node_says_what_it_is(farm: Farm, user: LaunchUser) -> None:
    snapshot = seen(farm)
    kinds = {entry.path: snapshot[f"{farm.path}/{entry.path}"].kind for entry in TREE}
    assert kinds == {
        "ws": "folder",
        "ws/file": "file",
        "ws/again": "file",
        "ws/link": "link",
        "ws/dir": "link",
        "ws/pipe": "fifo",
        "ws/agent": "socket",
        "ws/unread": "file",
        "ws/locked": "folder",
        "ws/locked/in": "folder",
        "ws/locked/in/id": "file",
        "ws/odd\nname": "file",
    }
    assert {(node.uid, node.gid) for node in snapshot.values()} == {(user.uid, user.gid)}
    assert snapshot[f"{farm.path}/ws/locked/in"].mode == 0o300
    assert snapshot[f"{farm.path}/ws/unread"].mode == 0o000


def test_a_node_holds_its_bytes_or_its_text(farm: Farm) -> None:
    snapshot = seen(farm)
    for path in ("ws/file", "ws/unread", "ws/locked/in/id"):
        assert snapshot[f"{farm.path}/{path}"].content == f"{token('k', path)}\n".encode()
    assert snapshot[f"{farm.path}/ws/link"].content == b"gone//x"
    for path in ("ws", "ws/pipe", "ws/agent"):
        assert snapshot[f"{farm.path}/{path}"].content == b""


def test_the_names_of_one_inode_have_one_identity(farm: Farm) -> None:
    snapshot = seen(farm)
    identities = {path: snapshot[f"{farm.path}/{path}"].identity for path in ("ws/file", "ws/again", "ws/unread")}
    assert identities["ws/file"] == identities["ws/again"] != identities["ws/unread"]


def test_looking_changes_nothing(farm: Farm) -> None:
    before = seen(farm)
    assert differences(before, farm.snapshot()) == ()
    assert os.lstat(f"{farm.path}/ws/locked").st_mode & 0o777 == 0o000
    os.chmod(f"{farm.path}/ws/locked", 0o700)
    assert os.lstat(f"{farm.path}/ws/locked/in").st_mode & 0o777 == 0o300


def test_time_counts_for_files_and_links_and_not_for_folders(farm: Farm) -> None:
    snapshot = seen(farm)
    assert snapshot[f"{farm.path}/ws"].modified == 0
    os.utime(f"{farm.path}/ws/file", ns=(5, 5))
    os.utime(f"{farm.path}/ws", ns=(5, 5))
    changes = differences(snapshot, farm.snapshot())
    assert {(change.path, change.aspect) for change in changes} == {
        (f"{farm.path}/ws/file", "time"),
        (f"{farm.path}/ws/again", "time"),
    }


def test_a_big_file_is_kept_in_part(farm: Farm) -> None:
    farm.build(Topology(()), "k")
    Path(farm.area("tmp"), "big").write_bytes(b"x" * (CONTENT_MAX + 9))
    assert len(farm.snapshot()[farm.area("tmp/big")].content) == CONTENT_MAX


def test_a_link_is_not_followed(farm: Farm) -> None:
    farm.build(Topology(()), "k")
    os.symlink("/", farm.area("tmp/root"))
    assert farm.snapshot().keys() == {farm.area(area) for area in (*AREAS, CANARY, "tmp/root")}


@pytest.mark.parametrize("area", AREAS)
def test_a_link_in_an_areas_place_is_not_followed(farm: Farm, base: Path, area: str) -> None:
    before = seen(farm, Topology((Dir("ws"), File("ws/file"))))
    (base / "elsewhere").mkdir()
    (base / "elsewhere" / "precious").write_text("x")
    (base / "elsewhere" / "closed").mkdir(mode=0o500)
    shutil.rmtree(farm.area(area))
    os.symlink(base / "elsewhere", farm.area(area))
    after = farm.snapshot()
    assert after[farm.area(area)].kind == "link"
    assert not [path for path in after if path.startswith(f"{farm.area(area)}/")]
    (change,) = [change for change in differences(before, after) if change.path == farm.area(area)]
    assert change.aspect.startswith("type")


@pytest.mark.parametrize("area", AREAS)
def test_an_area_that_is_gone_is_a_change(farm: Farm, area: str) -> None:
    before = seen(farm, Topology(()))
    shutil.rmtree(farm.area(area))
    changes = differences(before, farm.snapshot())
    assert (farm.area(area), "removed") in {(change.path, change.change) for change in changes}


@pytest.mark.parametrize("area", AREAS)
def test_an_area_that_was_closed_is_looked_at(farm: Farm, area: str) -> None:
    farm.build(Topology((Dir("ws"), File("ws/file"))), "k")
    Path(farm.area(area), "new").write_text("x")
    os.chmod(farm.area(area), 0o000)
    snapshot = farm.snapshot()
    assert snapshot[farm.area("tmp")].kind == "folder"
    assert snapshot[farm.area(f"{area}/new")].content == b"x"
    assert os.lstat(farm.area(area)).st_mode & 0o777 == 0o000


def test_paths_are_the_launchs_own_whatever_the_view(base: Path) -> None:
    (base / "tmp").mkdir()
    (base / "tmp" / "x").write_text("x")
    assert take("/as/seen", str(base), ("tmp",)).keys() == {"/as/seen/tmp", "/as/seen/tmp/x"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_is_a_kind_too(farm: Farm) -> None:
    farm.build(Topology(()), "k")
    os.mknod(farm.area("tmp/null"), 0o20600, os.makedev(1, 3))
    assert farm.snapshot()[farm.area("tmp/null")].kind == "device"


def test_a_fifo_and_a_socket_that_helpers_left_do_not_block(farm: Farm, base: Path) -> None:
    farm.build(Topology(()), "k")
    os.mkfifo(farm.area("tmp/pipe"))
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(farm.area("tmp/agent"))
        left.listen()
        assert {farm.area("tmp/pipe"), farm.area("tmp/agent")} <= farm.snapshot().keys()
    farm.clear()
    assert names(base) == set(AREAS)
