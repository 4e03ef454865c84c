# SPDX-License-Identifier: MIT
"""Work folders of overlays: one that a killed process left is swept, one in use or of somebody else is not (HOST-2)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from boxproof.reference import mountinfo, workfolder


@pytest.fixture
def place(ground: Path, request: pytest.FixtureRequest) -> Path:
    folder = ground / f"work-{abs(hash(request.node.name)):x}"
    folder.mkdir()
    return folder


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def test_a_folder_that_nobody_has_locked_is_swept(place: Path) -> None:
    (place / ".boxproof-1-left/work").mkdir(parents=True)
    (place / ".boxproof-1-left/index").mkdir()
    (place / "other").mkdir()
    workfolder.sweep(os.fsencode(place))
    assert names(place) == ["other"]


def test_a_folder_in_use_is_left_alone_until_it_is_given_up(place: Path) -> None:
    work = workfolder.new(os.fsencode(place))
    workfolder.sweep(os.fsencode(place))
    assert len(names(place)) == 1
    work.remove()
    assert names(place) == []


def test_what_is_not_empty_or_not_a_folder_is_never_removed(place: Path) -> None:
    (place / ".boxproof-full").mkdir()
    (place / ".boxproof-full/file").touch()
    (place / ".boxproof-file").touch()
    (place / ".boxproof-link").symlink_to(place / ".boxproof-full")
    workfolder.sweep(os.fsencode(place))
    assert names(place) == [".boxproof-file", ".boxproof-full", ".boxproof-link"]
    assert (place / ".boxproof-full/file").exists()


def test_somebody_elses_folder_is_left_alone(place: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    (place / ".boxproof-theirs").mkdir()
    os.chown(place / ".boxproof-theirs", 4711, 4711)
    workfolder.sweep(os.fsencode(place))
    assert names(place) == [".boxproof-theirs"]


def test_a_new_folder_is_on_the_mount_of_the_covered_one_and_outside_of_it(place: Path) -> None:
    covered = os.fsencode(place / "covered")
    os.mkdir(covered)
    work = workfolder.make_work_folder(covered, mountinfo.read())
    try:
        assert os.lstat(work.path).st_dev == os.lstat(covered).st_dev
        assert not work.path.startswith(covered)
        assert os.lstat(work.path).st_mode & 0o777 == 0o700
    finally:
        work.remove()
    assert not os.path.lexists(work.path)


def test_no_descriptor_is_left_open(place: Path) -> None:
    (place / ".boxproof-1-left").mkdir()
    before = len(os.listdir("/proc/self/fd"))
    workfolder.sweep(os.fsencode(place))
    workfolder.new(os.fsencode(place)).remove()
    assert len(os.listdir("/proc/self/fd")) == before
