# SPDX-License-Identifier: MIT
"""Helpers that wreck the folders of their launch: nothing else on the host is touched, as root neither."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import GOOD, Ran, Suite

AREAS = ("farm", "home", "tmp", "files", "outside")
BASE = 'base=${HOME%/*}; cd "$base" || exit 9; '
REFUSES = "echo no >&2; exit 1"


def facts(folder: Path) -> Mapping[str, tuple[int, int, bytes]]:
    """Return mode, owner and bytes of all that lies in a folder, and of itself."""
    found = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(path)] = (status.st_mode, status.st_uid, content)
    return found


@pytest.fixture
def victim(suite: Suite) -> Path:
    """A folder that belongs to the tests' user, with names in it that a farm has too."""
    folder = suite.place.root / "victim"
    for name in ("farm/ws", "home", "tmp", "files", "outside", "closed"):
        (folder / name).mkdir(parents=True)
        (folder / name / "keep").write_text("the victim's\n", encoding="utf-8")
    (folder / "outside/canary").write_text("the victim's\n", encoding="utf-8")
    (folder / "keep").write_text("the victim's\n", encoding="utf-8")
    (folder / "keep").chmod(0o400)
    (folder / "closed").chmod(0o500)
    return folder


def wrecked(suite: Suite, script: str, *, then: str = GOOD) -> Ran:
    """Run two cases under a helper that does `script` first."""
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    ran = suite.drive(f"{BASE}{script}; cd /; {then}")
    assert ran.status == 1
    assert "Traceback" not in ran.out + ran.err
    assert len(ran.rows) == 2
    return ran


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("target", ("", "/AREA"), ids=["whole", "same-area"])
def test_an_area_becomes_a_link(suite: Suite, victim: Path, area: str, target: str) -> None:
    before = facts(victim)
    place = f"{victim}{target.replace('AREA', area)}"
    ran = wrecked(suite, f"rm -rf {area}; ln -s {place} {area}", then=REFUSES)
    assert facts(victim) == before
    assert all(row["verdict"] == "fail" and "host-change" in _kinds(row) for row in ran.rows.values())


@pytest.mark.parametrize("area", AREAS)
def test_an_area_goes(suite: Suite, area: str) -> None:
    ran = wrecked(suite, f"rm -rf {area}", then=REFUSES)
    assert all(row["verdict"] == "fail" and "host-change" in _kinds(row) for row in ran.rows.values())


@pytest.mark.parametrize(
    ("area", "other"),
    (*((area, ": >") for area in AREAS), ("home", "mkfifo "), ("files", "mkfifo "), ("farm", "ln -s loop ")),
)
def test_an_area_becomes_something_else(suite: Suite, area: str, other: str) -> None:
    ran = wrecked(suite, f"rm -rf {area}; {other}{area}", then=REFUSES)
    assert all(row["verdict"] == "fail" and "host-change" in _kinds(row) for row in ran.rows.values())


def test_all_areas_are_closed(suite: Suite) -> None:
    ran = wrecked(suite, "chmod 0 *", then=REFUSES)
    assert all("host-change" in _kinds(row) for row in ran.rows.values())


def test_a_deep_folder_is_closed(suite: Suite) -> None:
    ran = wrecked(suite, "mkdir -p home/a/b/c; : >home/a/b/c/d; chmod 0 home/a/b/c home/a/b home/a")
    assert all("host-change" in _kinds(row) for row in ran.rows.values())


def test_links_to_everywhere_in_the_farm(suite: Suite, victim: Path) -> None:
    before = facts(victim)
    links = (
        f"for i in farm home tmp files outside farm/ws; do ln -s {victim} $i/link; ln -s {victim}/keep $i/file; done"
    )
    wrecked(suite, links)
    assert facts(victim) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="the folder above belongs to root")
def test_the_whole_base_goes(suite: Suite) -> None:
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    ran = suite.drive(f'{BASE}cd /; chmod -R 700 "$base"; rm -rf "$base"; {REFUSES}')
    assert (ran.status, len(ran.rows)) == (1, 2)
    assert "Traceback" not in ran.out + ran.err


@pytest.mark.skipif(os.geteuid() == 0, reason="the folder above belongs to root")
def test_the_whole_base_becomes_a_link(suite: Suite, victim: Path) -> None:
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    before = facts(victim)
    ran = suite.drive(f'{BASE}cd /; rm -rf "$base"; ln -s {victim} "$base"; {REFUSES}')
    assert facts(victim) == before
    assert (ran.status, len(ran.rows)) == (1, 2)
    for entry in suite.place.farms.iterdir():
        entry.unlink()


def _kinds(row: Mapping[str, list[dict[str, str]]]) -> list[str]:
    return [finding["kind"] for finding in row["findings"]]
