# SPDX-License-Identifier: MIT
"""Path resolution over a topology, each rule by hand."""

from __future__ import annotations

import pytest

from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import Dir, File, Link, Topology
from boxproof.model.tree import parse_tree

FARM = "/farm/of/case"
UID = 1500
TREE = Tree(
    parse_tree("""
        real/
        real/a              file
        real/again          = real/a
        real/sub/
        real/sock           socket
        pipe                fifo
        absolute            -> {farm}/real
        relative            -> real/sub
        surplus             -> {up}{farm}/real/a
        slashed             -> real/sub/
        filed               -> real/a
        file-slashed        -> real/a/
        chain               -> absolute/again
        self                -> .
        root                -> /
        loop                -> pool
        pool                -> loop
        dangling            -> real/new
        dangling-deep       -> real/none/new
        dangling-slashed    -> real/new/
        out                 -> ../elsewhere
        closed/             mode=0600
        closed/x            file
        sealed/             mode=0500
    """)
)


def at(path: str) -> str:
    return f"{FARM}/{path}"


def led(path: str, *, follow: bool = True) -> str:
    """Return where a path leads, relative to the farm, or the error."""
    found = resolve(TREE, path, follow=follow)
    return found.error or found.real.removeprefix(f"{FARM}/")


@pytest.mark.parametrize(
    ("path", "end"),
    (
        ("real/a", "real/a"),
        ("real//.///a", "real/a"),
        ("real/../real/sub/../a", "real/a"),
        (f"{FARM}/real/a", "real/a"),
        (f"//{FARM}/real/a", "real/a"),
        ("/../../farm/of/case/real/a", "real/a"),
        ("real/again", "real/again"),
        ("absolute/a", "real/a"),
        ("surplus", "real/a"),
        ("chain", "real/again"),
        ("relative/..", "real"),
        ("self/self/self/real", "real"),
        ("root/farm/of/case/real", "real"),
        ("root", "/"),
        ("../../../../..", "/"),
        ("..", "/farm/of"),
        ("real/", "real"),
        ("real/.", "real"),
        ("slashed", "real/sub"),
        ("slashed/..", "real"),
        ("filed", "real/a"),
    ),
)
def test_a_path_leads_to(path: str, end: str) -> None:
    assert led(path) == end


@pytest.mark.parametrize(
    ("path", "error"),
    (
        ("", "ENOENT"),
        ("none", "ENOENT"),
        ("none/..", "ENOENT"),
        ("real/A", "ENOENT"),
        ("real/a/", "ENOTDIR"),
        ("real/a/.", "ENOTDIR"),
        ("real/a/..", "ENOTDIR"),
        ("real/a/b", "ENOTDIR"),
        ("real/sock/b", "ENOTDIR"),
        ("pipe/", "ENOTDIR"),
        ("filed/", "ENOTDIR"),
        ("file-slashed", "ENOTDIR"),
        ("loop", "ELOOP"),
        ("loop/x", "ELOOP"),
        ("self/" * 41, "ELOOP"),
        ("dangling", "ENOENT"),
        ("n" * 255, "ENOENT"),
        ("n" * 256, "ENAMETOOLONG"),
        ("é" * 127, "ENOENT"),
        ("é" * 128, "ENAMETOOLONG"),
        ("/" + "n" * 256, "ENAMETOOLONG"),
        ("./" * 2047 + "n", "ENOENT"),
        ("./" * 2048, "ENAMETOOLONG"),
        ("closed/x", "EACCES"),
        ("closed/.", "EACCES"),
        ("closed/..", "EACCES"),
        ("closed/" + "n" * 256, "EACCES"),
        ("out", "outside"),
        ("/etc/passwd", "outside"),
        ("../other/x", "outside"),
    ),
)
def test_a_path_fails_with(path: str, error: str) -> None:
    found = resolve(TREE, path)
    assert (found.error, found.real, found.node) == (error, "", "")


@pytest.mark.parametrize(
    ("path", "end"),
    (
        ("absolute", "absolute"),
        ("loop", "loop"),
        ("dangling", "dangling"),
        ("self/absolute", "absolute"),
        ("absolute/a", "real/a"),
        ("absolute/", "real"),
        ("absolute/.", "real"),
        ("chain/", "ENOTDIR"),
        ("dangling/", "ENOENT"),
        ("loop/", "ELOOP"),
    ),
)
def test_without_follow_only_a_link_in_last_place_stays(path: str, end: str) -> None:
    assert led(path, follow=False) == end


@pytest.mark.parametrize(
    ("path", "kind"),
    (("real", "folder"), ("real/again", "file"), ("real/sock", "socket"), ("pipe", "fifo"), ("chain", "file")),
)
def test_the_kind_of_what_is_found_is_told(path: str, kind: str) -> None:
    assert resolve(TREE, path).node == kind
    assert resolve(TREE, "absolute", follow=False).node == "link"


@pytest.mark.parametrize(
    ("path", "creatable", "reason"),
    (
        ("new", "new", "missing leaf"),
        ("absolute/new", "real/new", "missing leaf"),
        ("dangling", "real/new", "missing leaf"),
        ("sealed/new", "sealed/new", "missing leaf"),
        ("new/", "", "missing parent"),
        ("new/.", "", "missing parent"),
        ("new/../real", "", "missing parent"),
        ("new/x", "", "missing parent"),
        ("", "", "missing parent"),
        ("dangling/", "", "missing parent"),
        ("dangling-slashed", "", "missing parent"),
        ("dangling-deep", "", "missing parent"),
        ("closed/new", "", "EACCES"),
        ("out", "", "outside"),
        ("real/a", "", ""),
    ),
)
def test_what_o_creat_would_make(path: str, creatable: str, reason: str) -> None:
    found = resolve(TREE, path)
    assert found.creatable.removeprefix(f"{FARM}/") == creatable
    assert found.reason == reason


def test_links_crossed_are_told_in_order_and_as_often_as_crossed() -> None:
    found = resolve(TREE, "self/self/chain")
    assert found.links == (at("self"), at("self"), at("chain"), at("absolute"))
    assert resolve(TREE, "self/chain", follow=False).links == (at("self"),)
    assert len(resolve(TREE, "loop").links) == 40


def test_folders_searched_are_told_in_order_and_once() -> None:
    assert resolve(TREE, "real/sub/../sub/.").searched == (FARM, at("real"), at("real/sub"))
    assert resolve(TREE, "real/sub/").searched == (FARM, at("real"))
    assert resolve(TREE, "absolute/a").searched == (FARM, "/", "/farm", "/farm/of", at("real"))
    assert resolve(TREE, "closed/x").searched == (FARM, at("closed"))
    assert resolve(TREE, "/").searched == ()


def test_a_relative_path_starts_at_the_working_folder() -> None:
    assert resolve(TREE, "a", cwd=at("real")).real == at("real/a")
    assert resolve(TREE, "../filed", cwd=at("real/sub")).error == "ENOENT"
    assert resolve(TREE, at("filed"), cwd=at("real")).real == at("real/a")
    assert resolve(TREE, "farm", cwd="/").real == "/farm"


@pytest.mark.parametrize(("length", "error"), ((39, ""), (40, ""), (41, "ELOOP")))
@pytest.mark.parametrize("shape", ("{}", "{{farm}}/{}", "{{up}}{{farm}}/{}", "./sub/../{}"))
def test_a_walk_crosses_forty_links_and_no_more(length: int, error: str, shape: str) -> None:
    afters = [*(f"link{number}" for number in range(1, length)), "end"]
    links = [Link(f"link{number}", shape.format(after)) for number, after in enumerate(afters)]
    tree = Tree(Topology((Dir("sub"), File("end"), *links)))
    assert resolve(tree, "link0").error == error
    assert resolve(tree, "link0", follow=False).error == ""


def test_links_are_counted_over_the_whole_walk() -> None:
    assert led("self/" * 39 + "absolute/a") == "real/a"
    assert led("self/" * 40 + "absolute/a") == "ELOOP"
    assert led("self/" * 40 + "absolute", follow=False) == "absolute"


def test_the_privileged_caller_passes_over_mode_bits() -> None:
    tree = Tree(TREE.topology, privileged=True)
    assert resolve(tree, "closed/x").real == at("closed/x")
    assert (tree.searchable(at("closed")), tree.writable(at("sealed"))) == (True, True)
    assert (TREE.searchable(at("closed")), TREE.searchable(at("sealed"))) == (False, True)
    assert (TREE.writable(at("closed")), TREE.writable(at("sealed")), TREE.writable(at("real"))) == (False, False, True)


def test_only_the_owners_bits_count() -> None:
    tree = Tree(parse_tree("mine/ mode=0700\nmine/x file\ntheirs/ mode=0077\ntheirs/x file\n"))
    assert resolve(tree, "mine/x").error == ""
    assert resolve(tree, "theirs/x").error == "EACCES"
    assert not tree.writable(at("theirs"))
