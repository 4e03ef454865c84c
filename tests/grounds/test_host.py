# SPDX-License-Identifier: MIT
"""The folder for farms, and the interpreter."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from boxproof.errors import GroundError
from boxproof.grounds import host
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.host import farm_root, find_farm_root, find_interpreter, reachable_by
from boxproof.grounds.trees import remove_tree


@pytest.fixture
def anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the temp folder, which the tests have to use, pass for another place."""
    monkeypatch.setattr(host, "_temp_folders", list)


@pytest.mark.usefixtures("anywhere")
def test_a_root_is_new_named_owned_and_removed(place: Path, user: LaunchUser) -> None:
    with farm_root(user, str(place)) as one, farm_root(user, str(place)) as other:
        assert one != other
        assert one.parent == place
        assert one.name.startswith("boxproof-")
        found = one.stat()
        assert (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) == (0o755, user.uid, user.gid)
        (one / "inner").mkdir()
        (one / "inner" / "link").symlink_to("/")
        (one / "inner").chmod(0)
    assert list(place.iterdir()) == []


@pytest.mark.usefixtures("anywhere")
def test_the_root_goes_when_the_run_fails(place: Path, user: LaunchUser) -> None:
    with pytest.raises(KeyboardInterrupt), farm_root(user, str(place)):
        raise KeyboardInterrupt
    assert list(place.iterdir()) == []


def test_this_host_has_a_place(user: LaunchUser, monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    if os.geteuid() != 0:
        monkeypatch.setattr(host, "_temp_folders", list)
        monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    with farm_root(user) as root:
        assert not any((above / ".git").exists() for above in root.parents)
        assert reachable_by(str(root), user.uid, user.gid) == ""
        assert len(os.fsencode(root)) <= 60


@pytest.mark.usefixtures("anywhere")
@pytest.mark.parametrize("name", (".git", "../.git"))
def test_a_git_folder_above_is_an_objection(place: Path, user: LaunchUser, name: str) -> None:
    folder = place / "in"
    folder.mkdir()
    (folder / name).touch()
    with pytest.raises(GroundError, match=r"holds a \.git"):
        find_farm_root(user, str(folder))


@pytest.mark.usefixtures("anywhere")
def test_a_long_path_and_a_missing_folder_are_objections(place: Path, user: LaunchUser) -> None:
    long = place / ("x" * 60)
    long.mkdir()
    for folder, objection in ((long, "longer than 60 bytes"), (place / "missing", "no such folder")):
        with pytest.raises(GroundError, match=objection):
            find_farm_root(user, str(folder))


def test_a_temp_folder_is_an_objection_also_through_a_link(place: Path, user: LaunchUser) -> None:
    (place / "link").symlink_to(host._TEMP_FOLDERS[1])
    for folder in (*host._TEMP_FOLDERS, str(place / "link")):
        with pytest.raises(GroundError, match=r"a temp folder.*--farm-root"):
            find_farm_root(user, folder)


@pytest.mark.usefixtures("anywhere")
def test_every_candidate_is_named_with_its_objection(
    place: Path, user: LaunchUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    marked, private = place / "marked", place / "private"
    marked.mkdir()
    private.mkdir(mode=0o600)
    (marked / ".git").touch()
    monkeypatch.setattr(host, "_candidates", lambda: [str(marked), str(private), "/proc"])
    someone = LaunchUser(54321, 54321, "x")
    with pytest.raises(GroundError) as caught:
        find_farm_root(someone)
    assert f"{marked}: {marked} holds a .git" in str(caught.value)
    assert f"{private}: uid 54321 is stopped at {private} (mode 0600)" in str(caught.value)
    assert "/proc: " in str(caught.value)
    assert user is not None


@pytest.mark.usefixtures("anywhere")
def test_overlayfs_is_the_last_resort(place: Path, user: LaunchUser, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "overlay").mkdir()
    (place / "other").mkdir()
    for folder in place.iterdir():
        folder.chmod(0o777)
    monkeypatch.setattr(host, "_candidates", lambda: [str(place / "overlay"), str(place / "other")])
    monkeypatch.setattr(host, "_file_system", lambda path: "overlay" if path.endswith("overlay") else "ext4")
    with farm_root(user) as root:
        assert root.parent == place / "other"
    monkeypatch.setattr(host, "_file_system", lambda _: "overlay")
    with farm_root(user) as root:
        assert root.parent == place / "overlay"


def test_the_file_system_is_that_of_the_innermost_mount() -> None:
    assert host._file_system("/proc/self") == "proc"
    assert host._file_system("/dev/pts") == "devpts"


def test_an_ordinary_user_looks_into_cache_home_and_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1500)
    monkeypatch.setenv("HOME", "/home/x")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert host._candidates() == ["/home/x/.cache", "/home/x", str(Path.cwd())]
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert host._candidates()[0] == "/cache"


def test_the_interpreter_can_be_executed_by_the_user(user: LaunchUser) -> None:
    found = find_interpreter(user)
    assert reachable_by(str(found), user.uid, user.gid) == ""
    done = subprocess.run(
        [found, "-c", "import sys; print(sys.version_info >= (3, 9))"], capture_output=True, check=True
    )
    assert done.stdout == b"True\n"


def test_no_interpreter_is_an_error_that_names_those_tried(user: LaunchUser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_SUITS", "raise SystemExit(1)")
    with pytest.raises(GroundError, match=r"can execute no Python.*/usr/bin/python3"):
        find_interpreter(user)


def test_removing_follows_no_link(place: Path) -> None:
    (place / "kept").mkdir(mode=0o500)
    (place / "gone").mkdir()
    (place / "gone" / "link").symlink_to(place / "kept")
    remove_tree(str(place / "gone"))
    assert stat.S_IMODE((place / "kept").stat().st_mode) == 0o500


@pytest.mark.parametrize(
    ("mode", "uid", "gid", "stopped"),
    (
        (0o755, 54321, 54321, False),
        (0o700, 54321, 54321, True),
        (0o700, None, 54321, False),
        (0o077, None, 54321, True),
        (0o710, 54321, None, False),
        (0o701, 54321, None, True),
        (0o701, 54321, 54321, False),
        (0o000, 0, 0, False),
    ),
)
def test_reach_is_decided_by_the_first_class_that_fits(
    place: Path, mode: int, uid: int | None, gid: int | None, *, stopped: bool
) -> None:
    folder = place / "folder"
    folder.mkdir()
    (folder / "helper").touch()
    folder.chmod(mode)
    found = reachable_by(
        str(folder / "helper"), os.geteuid() if uid is None else uid, os.getegid() if gid is None else gid
    )
    folder.chmod(0o700)
    if os.geteuid() == 0 and uid is None:
        stopped = False
    assert found == (f"{folder} (mode {mode:04o})" if stopped else "")


def test_reach_looks_at_where_a_link_leads(place: Path) -> None:
    (place / "private").mkdir(mode=0o700)
    (place / "private" / "helper").touch()
    (place / "link").symlink_to("private/helper")
    assert reachable_by(str(place / "link"), 54321, 54321) == f"{place}/private (mode 0700)"


def test_what_is_missing_stops_nobody(place: Path) -> None:
    assert reachable_by(str(place / "missing" / "helper"), 54321, 54321) == ""
