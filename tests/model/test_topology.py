# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from attrs.exceptions import FrozenInstanceError
from hypothesis import given

from boxproof.errors import CaseError
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, Topology, parent
from tests.model.strategies import topologies


def refusal(*entries: Entry) -> str:
    with pytest.raises(CaseError) as raised:
        Topology(entries)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_topology_keeps_its_entries_in_order() -> None:
    entries = (Dir("d"), File("d/f"), Link("a", "../x//y/"), Socket("s"), Fifo("p"), HardLink("d/g", "d/f"), Mount("m"))
    topology = Topology(entries)
    assert tuple(topology) == topology.entries == entries
    assert topology.by_path["d/g"] == HardLink("d/g", "d/f")
    assert list(topology.by_path) == ["d", "d/f", "a", "s", "p", "d/g", "m"]
    assert topology.mounts == (Mount("m"),)


@given(topologies())
def test_a_topology_is_a_value(topology: Topology) -> None:
    again = Topology(topology.entries)
    assert (again, hash(again)) == (topology, hash(topology))
    with pytest.raises(FrozenInstanceError):
        again.entries = ()  # type: ignore[misc]


@given(topologies())
def test_every_beginning_of_a_topology_is_one(topology: Topology) -> None:
    for count in range(len(topology.entries)):
        Topology(topology.entries[:count])


def test_what_by_path_gives_cannot_be_changed() -> None:
    topology = Topology((Dir("d"),))
    with pytest.raises(TypeError):
        topology.by_path["d"] = File("d")  # type: ignore[index]


@pytest.mark.parametrize(("path", "above"), (("a", ""), ("a/b", "a"), ("a/b/c", "a/b")))
def test_the_folder_of_a_path(path: str, above: str) -> None:
    assert parent(path) == above


@pytest.mark.parametrize("path", ("", "/a", "a/", "a//b", ".", "..", "a/../b", "./a", "{farm}", "a{farm}b"))
def test_a_path_that_is_not_plain_is_refused(path: str) -> None:
    assert "is not a plain path below the farm" in refusal(Dir("a"), File(path))


def test_dots_and_odd_bytes_make_a_name() -> None:
    Topology((Dir("..."), File(".../..x"), File(" "), File("\n"), File("\udcff"), File("-"), File("{up}")))


def test_a_name_may_have_255_bytes() -> None:
    Topology((File("n" * 255), File("é" * 127), Dir("d"), File("d/" + "m" * 255)))
    for name in ("n" * 256, "é" * 128, "\udcff" * 256, "d/" + "n" * 256):
        assert "has a name of more than 255 bytes" in refusal(Dir("d"), File(name))


def test_a_path_comes_once() -> None:
    assert refusal(File("a"), Link("a", "x")) == "'a' is in the tree twice; keep one of the two lines"


@pytest.mark.parametrize("above", (File("d"), Link("d", "e"), Socket("d"), Fifo("d"), Dir("e")))
def test_an_entry_lies_in_a_folder_that_comes_before(above: Entry) -> None:
    assert refusal(Dir("x"), above, File("d/f")) == "'d/f' lies in no folder; add the line 'd/' before it"
    assert "lies in no folder" in refusal(File("d/f"), Dir("d"))


def test_an_entry_may_lie_in_a_mount() -> None:
    Topology((Mount("m"), File("m/f"), Dir("d"), Mount("b", "bind", "d"), File("b/f")))


def test_a_link_has_a_text() -> None:
    assert refusal(Link("a b", "")) == r"the link 'a\x20b' has no text (symlink(2) refuses an empty one)"


@pytest.mark.parametrize("of", ("d", "l", "s", "none", "h", "later"))
def test_a_hard_link_is_of_a_file_that_comes_before(of: str) -> None:
    entries = (Dir("d"), Link("l", "f"), Socket("s"), HardLink("h", of), File("later"))
    assert refusal(*entries) == f"'h' is a hard link of '{of}', which is no file before it"


def test_a_hard_link_may_be_of_a_hard_link() -> None:
    Topology((File("f"), HardLink("g", "f"), HardLink("h", "g")))


@pytest.mark.parametrize("of", ("f", "l", "none", "", "b"))
def test_a_second_mount_is_of_a_folder_that_comes_before(of: str) -> None:
    entries = (File("f"), Link("l", "d"), Dir("d"), Mount("b", "bind", of))
    assert refusal(*entries) == f"'b' is a second mount of '{of}', which is no folder before it"


def test_a_second_mount_may_be_of_a_mount() -> None:
    Topology((Mount("m"), Mount("b", "bind", "m"), Mount("c", "bind", "b")))
