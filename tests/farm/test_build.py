# SPDX-License-Identifier: MIT
"""Every kind of entry on disk."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from boxproof.errors import GroundError
from boxproof.farm import AREAS, CANARY, Farm, files_of, token
from boxproof.grounds.accounts import LaunchUser
from boxproof.model.topology import Dir, Fifo, File, HardLink, Link, Socket, Topology
from boxproof.model.tree import parse_tree
from tests.farm.conftest import Mounts, names

KEY = "MASK-2 a-slug"
TREE = parse_tree("""
    ws/
    ws/file         file
    ws/locked/      mode=0000
    ws/locked/id    file mode=0000
    ws/sticky/      mode=1777
    ws/run          file mode=4755
    ws/again        = ws/file
    ws/link         -> ../store//./x/
    ws/up           -> {up}{farm}/ws
    ws/pipe         fifo
    ws/quiet        socket
    ws/agent        socket listening
    """)
ODD = (
    *("a b", "a\nb", "\udcff\udcfe", "-rf", "$HOME", "a'b\"c", "*", "{", "a:b", "a,b", "\\x41", "\x7f", "杏"),
    *("n" * 255, "é" * 127, " ", "...", "..a"),
)


def built(farm: Farm, topology: Topology = TREE) -> Path:
    farm.build(topology, KEY)
    return Path(farm.path)


def test_the_areas_are_there_and_the_launch_users(farm: Farm, base: Path, user: LaunchUser) -> None:
    built(farm, Topology(()))
    assert names(base) == {*AREAS, CANARY}
    for area in AREAS:
        facts = os.lstat(farm.area(area))
        mode = 0o1777 if area == "tmp" else 0o755
        assert (stat.S_IMODE(facts.st_mode), facts.st_uid, facts.st_gid) == (mode, user.uid, user.gid)


def test_every_entry_is_there(farm: Farm) -> None:
    root = built(farm)
    kinds = {str(path.relative_to(root)): stat.S_IFMT(path.lstat().st_mode) for path in (root / "ws").iterdir()}
    assert kinds == {
        "ws/file": stat.S_IFREG,
        "ws/locked": stat.S_IFDIR,
        "ws/sticky": stat.S_IFDIR,
        "ws/run": stat.S_IFREG,
        "ws/again": stat.S_IFREG,
        "ws/link": stat.S_IFLNK,
        "ws/up": stat.S_IFLNK,
        "ws/pipe": stat.S_IFIFO,
        "ws/quiet": stat.S_IFSOCK,
        "ws/agent": stat.S_IFSOCK,
    }


def test_every_entry_is_the_launch_users(farm: Farm, base: Path, user: LaunchUser) -> None:
    built(farm)
    owners = {(path, os.lstat(base / path).st_uid, os.lstat(base / path).st_gid) for path in names(base)}
    assert {(uid, gid) for _, uid, gid in owners} == {(user.uid, user.gid)}, owners


@pytest.mark.parametrize("mask", (0o000, 0o022, 0o077))
def test_modes_are_as_written_under_any_umask(farm: Farm, mask: int) -> None:
    previous = os.umask(mask)
    try:
        root = built(farm)
    finally:
        os.umask(previous)
    modes = {name: stat.S_IMODE(os.lstat(root / "ws" / name).st_mode) for name in ("file", "locked", "sticky", "run")}
    assert modes == {"file": 0o644, "locked": 0o000, "sticky": 0o1777, "run": 0o4755}
    assert stat.S_IMODE(os.lstat(root / "ws").st_mode) == 0o755


def test_what_lies_in_a_closed_folder_is_there(farm: Farm) -> None:
    root = built(farm)
    os.chmod(root / "ws/locked", 0o700)
    assert stat.S_IMODE(os.lstat(root / "ws/locked/id").st_mode) == 0o000
    assert os.listdir(root / "ws/locked") == ["id"]


def test_a_file_holds_its_own_token_on_one_line(farm: Farm) -> None:
    root = built(farm)
    assert (root / "ws/file").read_text("ascii") == f"{token(KEY, 'ws/file')}\n"
    assert (root / "ws/again").read_bytes() == (root / "ws/file").read_bytes()
    assert Path(farm.area(CANARY)).read_text("ascii") == f"{token(KEY, CANARY)}\n"


def test_tokens_differ_by_case_and_by_path() -> None:
    tokens = [token(key, path) for key in ("A-1 a", "A-1 b") for path in ("a", "b", "\udcff")]
    assert len(set(tokens)) == len(tokens)
    assert {len(each) for each in tokens} == {24}
    assert all(each.isalnum() and each[0] == "t" for each in tokens)
    assert token("A-1 a", "a") == tokens[0]


def test_a_hard_link_is_one_more_name(farm: Farm) -> None:
    root = built(farm)
    assert os.stat(root / "ws/again").st_ino == os.stat(root / "ws/file").st_ino


def test_the_text_of_a_link_is_as_written(farm: Farm) -> None:
    root = built(farm)
    assert os.readlink(root / "ws/link") == "../store//./x/"
    up = os.readlink(root / "ws/up")
    assert up.startswith("../../")
    assert up.endswith(f"../{farm.path}/ws")
    assert os.path.samefile(root / "ws/up", root / "ws")


def test_somebody_answers_where_the_socket_listens(farm: Farm) -> None:
    root = built(farm)
    assert connects(root / "ws/agent")
    assert not connects(root / "ws/quiet")
    farm.clear()
    assert farm._listeners == []


def test_a_socket_may_lie_deep_below(farm: Farm) -> None:
    folders = ["d" * 60, *(f"{'/'.join(['d' * 60] * depth)}" for depth in (2, 3, 4))]
    deep = f"{folders[-1]}/agent"
    root = built(farm, Topology((*map(Dir, folders), Socket(deep, listening=True))))
    assert len(f"{root}/{deep}") > 200
    assert stat.S_ISSOCK(os.lstat(root / deep).st_mode)
    assert connects(root / deep)


@pytest.mark.parametrize("kind", (Socket, Fifo, File, Dir))
@pytest.mark.parametrize("name", ODD)
def test_any_name_can_be_made(farm: Farm, kind: type[Socket | Fifo | File | Dir], name: str) -> None:
    root = built(farm, Topology((Dir("ws"), kind(f"ws/{name}"))))
    assert os.listdir(root / "ws") == [name]
    farm.clear()
    assert names(root.parent) == set(AREAS)


@pytest.mark.parametrize("name", ODD)
def test_any_name_can_be_linked(farm: Farm, name: str) -> None:
    root = built(farm, Topology((File(name), Link("link", name), HardLink("again", name))))
    assert os.readlink(root / "link") == name
    assert os.path.samefile(root / "link", root / "again")


def test_a_farm_is_built_anew(farm: Farm, base: Path) -> None:
    built(farm)
    built(farm, Topology((File("only"),)))
    assert names(base) == {*AREAS, CANARY, "farm/only"}


def test_what_this_host_cannot_make_is_named(farm: Farm) -> None:
    long = Topology((Link("ws", "x" * 5000),))
    with pytest.raises(GroundError, match=r"^'ws' cannot be made in the farm \(File name too long\)"):
        farm.build(long, KEY)


def test_mounts_need_somebody_who_mounts(farm: Farm, base: Path) -> None:
    with pytest.raises(GroundError, match="this farm has mounts"):
        farm.build(parse_tree("disk/ tmpfs"), KEY)
    assert names(base) <= set(AREAS)


def test_mounts_are_asked_for_in_order(base: Path, user: LaunchUser, mounts: Mounts) -> None:
    topology = parse_tree("store/\nstore/key file\ndisk/ tmpfs\ntwin/ bind store\n")
    with Farm(base, user.uid, user.gid, mounts) as farm:
        farm.build(topology, KEY)
        assert farm.view == f"/proc/self/root{base}"
        assert mounts.asked == [("tmpfs", f"{farm.path}/disk"), ("bind", f"{farm.path}/store", f"{farm.path}/twin")]
        assert os.lstat(f"{farm.path}/twin").st_uid == user.uid
    assert mounts.asked[2:] == [("unmount",)]
    assert farm.view == str(base)


def test_without_mounts_nobody_is_asked(base: Path, user: LaunchUser, mounts: Mounts) -> None:
    with Farm(base, user.uid, user.gid, mounts) as farm:
        farm.build(TREE, KEY)
        assert farm.view == str(base)
    assert mounts.asked == []


def test_a_folder_is_added_where_there_is_none(farm: Farm, user: LaunchUser) -> None:
    root = built(farm)
    (root / "ws/file").chmod(0o600)
    farm.add_folder("ws/.git/hooks")
    farm.add_folder("ws/.git")
    facts = os.lstat(root / "ws/.git/hooks")
    assert (stat.S_IMODE(facts.st_mode), facts.st_uid) == (0o755, user.uid)
    assert stat.S_IMODE(os.lstat(root / "ws/file").st_mode) == 0o600


def test_the_files_of_a_launch_replace_those_of_the_last(farm: Farm, user: LaunchUser) -> None:
    built(farm)
    folder = Path(farm.area("files"))
    farm.write_files({"policy": b"one", "other": b"o"}, {"link": "text"})
    farm.write_files({"policy": b"two", "link": b"a file"}, {"other": "elsewhere"})
    assert (folder / "policy").read_bytes() == b"two"
    assert (folder / "link").read_bytes() == b"a file"
    assert os.readlink(folder / "other") == "elsewhere"
    assert {os.lstat(path).st_uid for path in folder.iterdir()} == {user.uid}


def test_the_files_of_a_launch_may_have_become_folders(farm: Farm) -> None:
    built(farm)
    folder = Path(farm.area("files"))
    (folder / "policy").mkdir()
    (folder / "policy/in").mkdir()
    farm.write_files({"policy": b"two"}, {})
    assert (folder / "policy").read_bytes() == b"two"


def test_the_files_with_a_token_are_known() -> None:
    assert [file.path for file in files_of(TREE)] == ["ws/file", "ws/locked/id", "ws/run"]


def connects(path: Path) -> bool:
    folder = os.open(path.parent, os.O_PATH)
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"/proc/self/fd/{folder}/{path.name}")
    except ConnectionRefusedError:
        return False
    finally:
        os.close(folder)
    return True
