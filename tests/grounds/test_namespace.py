# SPDX-License-Identifier: MIT
"""What the launcher mounts is there for the helper and for nobody else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxproof.errors import GroundError
from boxproof.grounds import launch
from boxproof.grounds.accounts import LaunchUser, account_files
from boxproof.grounds.launch import Launcher
from boxproof.grounds.sweep import stragglers
from tests.grounds.conftest import run

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="takes root")
STRANGER = LaunchUser(54321, 54322, "stranger")


@pytest.fixture
def mounting(user: LaunchUser) -> Iterator[Launcher]:
    table = Path("/proc/self/mountinfo").read_bytes()
    launcher = Launcher(user, mounts=True)
    try:
        launcher.start()
    except GroundError as error:
        pytest.skip(str(error))
    with launcher:
        yield launcher
    assert stragglers(launcher._cookie) == []
    assert Path("/proc/self/mountinfo").read_bytes() == table


def seen(launcher: Launcher, path: Path) -> Path:
    return launcher.root / path.relative_to("/")


def test_a_tmpfs_belongs_to_the_launch_user(mounting: Launcher, place: Path) -> None:
    mounting.mount(str(place))
    assert run(mounting, f"echo token > {place}/file").status == 0
    assert (seen(mounting, place) / "file").read_text() == "token\n"
    assert list(place.iterdir()) == []


def test_a_bind_shows_the_same_folder(mounting: Launcher, place: Path) -> None:
    for name in ("one", "other"):
        (place / name).mkdir()
    (place / "one" / "file").write_text("token")
    mounting.mount(str(place / "other"), str(place / "one"))
    assert run(mounting, f"cat {place}/other/file").stdout == b"token"
    assert list((place / "other").iterdir()) == []


def test_a_bind_shows_what_is_mounted_below(mounting: Launcher, place: Path) -> None:
    for name in ("one", "one/below", "other"):
        (place / name).mkdir()
    mounting.mount(str(place / "one/below"))
    mounting.mount(str(place / "other"), str(place / "one"))
    assert run(mounting, f"echo token > {place}/one/below/file; cat {place}/other/below/file").stdout == b"token\n"


def test_all_mounts_go_and_may_come_again(mounting: Launcher, place: Path) -> None:
    for _ in range(2):
        mounting.mount(str(place))
        (seen(mounting, place) / "inner").mkdir()
        mounting.mount(str(place / "inner"))
        mounting.unmount_all()
        assert list(seen(mounting, place).iterdir()) == []


def test_odd_names_can_be_mount_points(mounting: Launcher, place: Path) -> None:
    point = place / "a b\n\udcff"
    point.mkdir()
    mounting.mount(str(point))
    (seen(mounting, point) / "file").touch()
    assert list(point.iterdir()) == []


def test_a_mount_that_the_kernel_refuses(mounting: Launcher, place: Path) -> None:
    with pytest.raises(GroundError, match="mount: ENOENT"):
        mounting.mount(str(place / "missing"))
    assert run(mounting, "exit 0").status == 0


@ROOT_ONLY
def test_an_account_that_the_host_lacks_is_there_for_the_helper() -> None:
    hosts = {path: Path(path).read_bytes() for path in account_files(STRANGER)}
    with Launcher(STRANGER) as launcher:
        assert run(launcher, "id -un; id -gn").stdout.decode().split() == ["stranger", "stranger"]
        assert run(launcher, f"grep -c ^stranger: {' '.join(hosts)}").stdout.count(b":1\n") == len(hosts)
    assert hosts == {path: Path(path).read_bytes() for path in hosts}


@ROOT_ONLY
def test_the_replaced_files_leave_no_other_trace() -> None:
    with Launcher(STRANGER) as launcher:
        inside = run(launcher, "cut -d' ' -f5 /proc/self/mountinfo").stdout.decode().split()
    before = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    assert sorted(inside) == sorted([*before, *account_files(STRANGER)])


@ROOT_ONLY
def test_root_keeps_its_capabilities_where_it_is_asked_for(own_launcher: Launcher) -> None:
    assert run(own_launcher, "mount -t tmpfs none /mnt && grep -c ' /mnt ' /proc/self/mountinfo").stdout == b"1\n"


@ROOT_ONLY
def test_without_a_namespace_of_its_own_nothing_is_mounted(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "account_files", lambda _: {"/does/not/exist": b""})
    with Launcher(STRANGER) as launcher:
        assert run(launcher, f"ls -d {place}").status == 0  # the scratch folder did not stay mounted over it
        with pytest.raises(GroundError, match=r"no mounts for the farm.*mount: ENOENT"):
            launcher.mount(str(place))


@pytest.mark.skipif(os.geteuid() == 0, reason="root's launcher can always mount")
def test_mounts_have_to_be_asked_for(launcher: Launcher, place: Path) -> None:
    with pytest.raises(GroundError, match="no mount namespace"):
        launcher.mount(str(place))
