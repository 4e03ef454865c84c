# SPDX-License-Identifier: MIT
"""What changed between two moments."""

from __future__ import annotations

import pytest
from attrs import evolve

from boxproof.snapshot import Difference, Node, differences

FILE = Node("file", 0o644, 1500, 1500, b"x\n", (1, 2), 3)
LINK = evolve(FILE, kind="link", content=b"text")


@pytest.mark.parametrize(
    ("before", "after", "aspect"),
    (
        (FILE, evolve(FILE, mode=0o600), "mode"),
        (FILE, evolve(FILE, uid=0), "owner"),
        (FILE, evolve(FILE, gid=0), "owner"),
        (FILE, evolve(FILE, content=b"y\n"), "bytes"),
        (LINK, evolve(LINK, content=b"other"), "link text"),
        (FILE, evolve(FILE, identity=(1, 3)), "object"),
        (FILE, evolve(FILE, identity=(2, 2)), "object"),
        (FILE, evolve(FILE, modified=4), "time"),
        (FILE, evolve(FILE, kind="folder"), "type"),
        (
            FILE,
            evolve(FILE, mode=0, uid=0, content=b"", identity=(9, 9), modified=9),
            "mode, owner, bytes, object, time",
        ),
        (FILE, LINK, "type, bytes"),
    ),
)
def test_a_change_says_what_differs(before: Node, after: Node, aspect: str) -> None:
    assert differences({"/a": before}, {"/a": after}) == (Difference("/a", "changed", aspect, after.content),)


def test_a_new_name_says_its_kind_and_its_bytes() -> None:
    assert differences({}, {"/a": FILE}) == (Difference("/a", "added", "file", b"x\n"),)


def test_a_lost_name_says_its_kind() -> None:
    assert differences({"/a": LINK}, {}) == (Difference("/a", "removed", "link"),)


def test_what_is_the_same_is_no_difference() -> None:
    assert differences({"/a": FILE, "/b": LINK}, {"/b": LINK, "/a": FILE}) == ()


def test_differences_are_sorted_by_path() -> None:
    found = differences({"/c": FILE, "/a": FILE}, {"/b": FILE, "/a": LINK})
    assert [change.path for change in found] == ["/a", "/b", "/c"]
