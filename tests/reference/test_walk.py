# SPDX-License-Identifier: MIT
"""Where a spelling leads: the walk beside the kernel's own answer."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest

from boxproof.reference.walk import MAX_LINKS, reached, walk


@pytest.fixture
def place(ground: Path, request: pytest.FixtureRequest) -> Path:
    folder = ground / f"walk-{abs(hash(request.node.name)):x}"
    folder.mkdir()
    return folder


def led(place: Path, name: str) -> tuple[int, str]:
    way = walk(os.fsencode(f"{place}/{name}"))
    return way.error, os.fsdecode(way.real).removeprefix(str(place))


def kernel_error(spelling: str) -> int:
    try:
        os.stat(spelling)
    except OSError as error:
        return error.errno or -1
    return 0


def test_the_object_and_what_was_crossed(place: Path) -> None:
    (place / "d").mkdir()
    (place / "d/f").touch()
    (place / "link").symlink_to("d")
    way = walk(os.fsencode(f"{place}/link/../link/f"))
    base = os.fsencode(place)
    assert (way.error, way.real, way.is_folder) == (0, base + b"/d/f", False)
    assert way.links == [(base + b"/link", b"d")] * 2
    assert way.folders[-4:] == [base, base + b"/d", base, base + b"/d"]


@pytest.mark.parametrize(
    ("name", "error", "real", "rest"),
    (
        ("missing/x", errno.ENOENT, "", [b"missing", b"x"]),
        ("f/x", errno.ENOTDIR, "/f", [b"x"]),
        ("f/", errno.ENOTDIR, "/f", [b""]),
        ("f/.", errno.ENOTDIR, "/f", [b"."]),
        ("dangling/x", errno.ENOENT, "", [b"nowhere", b"x"]),
        ("n" * 256, errno.ENAMETOOLONG, "", [b"n" * 256]),
        ("loop", errno.ELOOP, "", [b"loop"]),
        ("d/../f", 0, "/f", []),
        ("d/", 0, "/d", []),
        ("tod/", 0, "/d", []),
    ),
)
def test_how_a_walk_ends(place: Path, name: str, error: int, real: str, rest: list[bytes]) -> None:
    (place / "d").mkdir()
    (place / "f").touch()
    (place / "dangling").symlink_to("nowhere")
    (place / "loop").symlink_to("loop")
    (place / "tod").symlink_to("d")
    assert led(place, name) == (error, real)
    assert walk(os.fsencode(f"{place}/{name}")).rest == rest


def test_forty_links_are_followed_and_no_more(place: Path) -> None:
    (place / "l0").touch()
    for number in range(1, MAX_LINKS + 2):
        (place / f"l{number}").symlink_to(f"l{number - 1}")
    assert led(place, f"l{MAX_LINKS}") == (0, "/l0")
    assert led(place, f"l{MAX_LINKS + 1}")[0] == errno.ELOOP


def test_above_the_root_is_the_root() -> None:
    assert walk(b"/../..//usr/./").real == b"/usr"


def test_a_spelling_that_no_call_takes_leads_nowhere(place: Path) -> None:
    assert walk(os.fsencode(place) + b"/." * 3000).error == errno.ENAMETOOLONG


def test_a_failed_walk_taken_for_its_last_object(place: Path) -> None:
    (place / "f").touch()
    whole = reached(walk(os.fsencode(place / "f") + b"/"))
    assert (whole.error, whole.rest, whole.real) == (0, [], os.fsencode(place / "f"))


def test_no_descriptor_is_left_open(place: Path) -> None:
    (place / "a").symlink_to("/usr/../usr/bin")
    before = len(os.listdir("/proc/self/fd"))
    for name in ("a", "a/x/y", "missing", "a/../../.."):
        led(place, name)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_lead_where_the_kernel_says(place: Path, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - reproducible, not secret
    names = [f"n{number}" for number in range(6)]
    folders = [place]
    for _ in range(25):
        path = draw.choice(folders) / draw.choice(names)
        if os.path.lexists(path):
            continue
        kind = draw.choice(["dir", "file", "link", "link", "link"])
        if kind == "dir":
            path.mkdir()
            folders.append(path)
        elif kind == "file":
            path.touch()
        else:
            text = "/".join(draw.choices([*names, "..", "."], k=draw.randint(1, 4))) + draw.choice(["", "", "/"])
            path.symlink_to(f"{place}/{text}" if draw.random() < 0.4 else text)
    for _ in range(200):
        spelling = f"{place}/" + "/".join(draw.choices([*names, "..", ".", ""], k=draw.randint(1, 6)))
        way = walk(os.fsencode(spelling))
        assert way.error == kernel_error(spelling), spelling
        if not way.error:
            assert os.path.samestat(os.stat(spelling), os.lstat(way.real))
            assert os.fsdecode(way.real) == os.path.realpath(spelling)
