# SPDX-License-Identifier: MIT
"""What a placed topology offers besides resolution: second mounts, placeholders, the spellings of an object."""

from __future__ import annotations

import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError

from boxproof.errors import CaseError
from boxproof.model.resolve import Tree, resolve, spellings
from boxproof.model.row import parse_rows
from boxproof.model.topology import Topology
from boxproof.model.tree import parse_tree

FARM = "/farm/of/case"
TREE = Tree(
    parse_tree("""
        real/
        real/a              file
        absolute            -> {farm}/real
        chain               -> absolute/a
        self                -> .
        loop                -> loop
        dangling            -> real/new
        closed/             mode=0600
        closed/x            file
    """)
)


def at(path: str) -> str:
    return f"{FARM}/{path}"


def test_placeholders_are_replaced_from_the_folder() -> None:
    assert TREE.expand("{farm}/x", at("real")) == f"{FARM}/x"
    assert TREE.expand("{up}x", at("real")) == "../" * 6 + "x"
    assert TREE.expand("{up}x", FARM) == "../" * 5 + "x"
    assert TREE.expand("{up}x", "/") == "../../x"
    assert TREE.expand("x{", FARM) == "x{"


def test_a_tree_may_lie_anywhere_below_the_root() -> None:
    tree = Tree(TREE.topology, "/a")
    assert resolve(tree, "chain").real == "/a/real/a"
    assert resolve(tree, "/a/..").real == "/"
    assert resolve(tree, "/b").error == "outside"


@pytest.mark.parametrize("farm", ("", "/", "farm", "/farm/", "/a//b", "/a/./b", "/a/../b"))
def test_a_farm_that_is_no_canonical_path_is_refused(farm: str) -> None:
    with pytest.raises(CaseError, match="not an absolute path"):
        Tree(Topology(()), farm)


def test_a_tree_is_a_value() -> None:
    again = Tree(TREE.topology)
    assert (again, hash(again)) == (TREE, hash(TREE))
    with pytest.raises(FrozenInstanceError):
        again.farm = "/"  # type: ignore[misc]
    with pytest.raises(TypeError):
        again.nodes["/x"] = again.nodes["/"]  # type: ignore[index]
    assert resolve(again, "chain") is resolve(again, "chain")


def test_a_folder_is_writable_by_the_bits_of_its_owner() -> None:
    tree = Tree(parse_tree("open/ mode=0700\nclosed/ mode=0577\nunsearchable/ mode=0677\n"))
    assert [tree.writable(at(name)) for name in ("open", "closed", "unsearchable")] == [True, False, False]
    assert Tree(tree.topology, privileged=True).writable(at("closed"))


def test_a_kept_namespace_and_a_socket_are_no_folders_and_no_links() -> None:
    tree = Tree(parse_tree("kept nsfs\nagent socket\nto-agent -> agent\n"))
    assert [tree.nodes[at(name)].kind for name in ("kept", "agent")] == ["namespace", "socket"]
    assert tree.aliases == {at("to-agent"): at("agent")}
    assert spellings(tree, at("agent"), 9) == (at("agent"), at("to-agent"))


def test_of_an_unknown_row_the_model_does_not_know_that_nothing_is_there() -> None:
    tree = Tree(
        evolve(parse_tree("x file\n"), above=parse_rows("/zone/ folder\n/zone/gone absent\n/zone/odd unknown\n"))
    )
    assert [resolve(tree, f"/zone/{name}").error for name in ("gone", "odd")] == ["ENOENT", "outside"]
    assert tree.absent == {"/zone/gone"}


TWIN = Tree(
    parse_tree("""
        other/
        other/b             file
        real/
        real/a              file
        real/disk/          tmpfs
        real/disk/lost      file
        real/nested/        bind other
        twin/               bind real
        again/              bind twin
        real/inside/        bind real
        real/late           -> a
        real/back           -> ../other
        cellar/             mode=0300
        cellar/c            file
        attic/              bind cellar
    """)
)


@pytest.mark.parametrize(
    ("path", "real", "origin"),
    (
        ("twin", "twin", "real"),
        ("twin/a", "twin/a", "real/a"),
        ("twin/late", "twin/a", "real/a"),
        ("twin/..", "", ""),
        ("twin/back/b", "other/b", "other/b"),
        ("again/a", "again/a", "real/a"),
        ("real/inside/a", "real/inside/a", "real/a"),
        ("real/nested/b", "real/nested/b", "other/b"),
        ("real/disk/lost", "real/disk/lost", "real/disk/lost"),
        ("twin/disk", "twin/disk", "twin/disk"),
        ("again/disk", "again/disk", "twin/disk"),
        ("real/inside/inside", "real/inside/inside", "real/inside/inside"),
        ("attic/c", "attic/c", "cellar/c"),
    ),
)
def test_a_second_mount_has_paths_of_its_own(path: str, real: str, origin: str) -> None:
    found = resolve(TWIN, path)
    assert found.real == at(real).rstrip("/")
    assert TWIN.origin(found.real) == at(origin).rstrip("/")


@pytest.mark.parametrize("path", ("twin/disk/lost", "twin/nested/b", "again/nested/b", "real/inside/inside/a"))
def test_a_second_mount_shows_the_folder_below_another_mount(path: str) -> None:
    assert resolve(TWIN, path).error == "ENOENT"


def test_a_name_that_is_not_there_yet_has_an_origin() -> None:
    assert TWIN.origin(at("twin/new")) == at("real/new")
    assert TWIN.origin(at("new")) == at("new")
    assert TWIN.origin("/") == "/"


def test_a_second_mount_has_the_mode_of_its_folder() -> None:
    assert TWIN.nodes[at("attic")].mode == TWIN.nodes[at("cellar")].mode == 0o300


def test_an_entry_below_a_second_mount_is_refused() -> None:
    topology = parse_tree("real/\ntwin/ bind real\ntwin/a\\x20b file\n")
    with pytest.raises(CaseError) as raised:
        Tree(topology)
    assert str(raised.value) == (
        r"'twin/a\x20b' lies below the second mount 'twin/'; write it below 'real/', and it shows at both"
    )


def test_spellings_come_with_the_fewest_links_first_then_the_shortest() -> None:
    tree = Tree(parse_tree("real/\nreal/a file\nlonger -> real\nl -> real\nk -> real/\nto-a -> l/a\nreal/up -> ..\n"))
    first = ["real/a"]
    one_link = ["k/a", "l/a", "to-a", "longer/a", "real/up/real/a"]
    two_links = ["k/up/real/a", "l/up/real/a", "real/up/k/a"]
    assert spellings(tree, at("real/a"), 9) == tuple(map(at, first + one_link + two_links))


def test_spellings_are_bounded() -> None:
    assert len(spellings(TREE, at("real/a"), 100)) == 100
    assert spellings(TREE, at("real/a"), 1) == (at("real/a"),)
    assert spellings(TREE, at("real/a"), 0) == ()
    turn = Tree(parse_tree("self -> .\nx file\n"))
    assert spellings(turn, at("x"), 99) == tuple(at("self/" * count + "x") for count in range(41))


def test_each_spelling_leads_there_and_none_comes_twice() -> None:
    found = spellings(TREE, at("real/a"), 200)
    assert {resolve(TREE, spelling).real for spelling in found} == {at("real/a")}
    assert len(set(found)) == len(found) > 100


def test_spellings_of_a_missing_leaf_include_the_dangling_link() -> None:
    assert spellings(TREE, at("real/new"), 3) == (at("real/new"), at("dangling"), at("absolute/new"))


def test_spellings_of_a_link_lead_to_the_link_itself() -> None:
    assert spellings(TREE, at("loop"), 2) == (at("loop"), at("self/loop"))
    assert at("absolute") not in spellings(TREE, at("real"), 1)


def test_what_cannot_be_reached_has_no_spelling() -> None:
    assert spellings(TREE, at("closed/x"), 9) == ()
    assert spellings(TREE, at("none/new"), 9) == ()


def test_spellings_through_a_link_to_the_root() -> None:
    tree = Tree(parse_tree("root -> /\nx file\n"))
    assert spellings(tree, at("x"), 2) == (at("x"), f"{FARM}/root{FARM}/x")


def test_rows_above_the_farm_are_what_they_are() -> None:
    rows = parse_rows("""
        /data/                  folder
        /etc/certs              -> /data
        /data/file              file
        /zone/                  folder
        /zone/gone              absent
        """)
    tree = Tree(evolve(parse_tree("x file\n"), above=rows))
    assert {path: tree.nodes[path].kind for path in ("/etc", "/etc/certs", "/data", "/data/file", "/zone")} == {
        "/etc": "folder",
        "/etc/certs": "link",
        "/data": "folder",
        "/data/file": "file",
        "/zone": "folder",
    }
    assert "/zone/gone" not in tree.nodes
    assert resolve(tree, "/etc/certs/file").real == "/data/file"
    assert resolve(tree, "/etc/other").error == resolve(tree, "/data/other").error == "outside"
    assert resolve(tree, "/zone/gone").error == "ENOENT"
    assert sum(path in tree.nodes for path in ("/etc/certs/file", "/", "/farm", "/farm/of")) == 3


@pytest.mark.parametrize("row", ("/farm -> /data", "/farm/of file", "/farm absent"))
def test_the_farm_lies_below_folders_only(row: str) -> None:
    with pytest.raises(CaseError, match="cannot lie below"):
        _ = Tree(evolve(parse_tree("x file\n"), above=parse_rows(row))).nodes
