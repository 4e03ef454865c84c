# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from hypothesis import given

from boxproof.errors import NotationError
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, Topology
from boxproof.model.tree import format_tree, parse_tree
from tests.model.strategies import topologies

EVERY_FORM = r"""
# a comment, and a blank line

ws/
ws/locked/                mode=0000
real/
real/auth.json            file
real/secret               file mode=0600
real/again.json           = real/auth.json
alias                     -> {farm}/real
climb                     -> {up}a\x20b
agent.sock                socket
live.sock                 socket listening
pipe                      fifo
kept                      nsfs
disk/                     tmpfs
twin/                     bind real
slashed/                  bind real/
odd\x20\xff\x0aname       file
"""
ENTRIES = (
    Dir("ws"),
    Dir("ws/locked", 0),
    Dir("real"),
    File("real/auth.json"),
    File("real/secret", 0o600),
    HardLink("real/again.json", "real/auth.json"),
    Link("alias", "{farm}/real"),
    Link("climb", "{up}a b"),
    Socket("agent.sock"),
    Socket("live.sock", listening=True),
    Fifo("pipe"),
    Mount("kept", "nsfs"),
    Mount("disk"),
    Mount("twin", "bind", "real"),
    Mount("slashed", "bind", "real"),
    File("odd \udcff\nname"),
)


def test_every_form_is_read() -> None:
    assert parse_tree(EVERY_FORM).entries == ENTRIES


def test_every_form_is_written_in_columns() -> None:
    assert format_tree(parse_tree(EVERY_FORM)).splitlines() == [
        "ws/",
        "ws/locked/               mode=0000",
        "real/",
        "real/auth.json           file",
        "real/secret              file mode=0600",
        "real/again.json          = real/auth.json",
        "alias                    -> {farm}/real",
        r"climb                    -> {up}a\x20b",
        "agent.sock               socket",
        "live.sock                socket listening",
        "pipe                     fifo",
        "kept                     nsfs",
        "disk/                    tmpfs",
        "twin/                    bind real",
        "slashed/                 bind real",
        r"odd\x20\xff\x0aname      file",
    ]


@given(topologies())
def test_what_is_written_reads_back(topology: Topology) -> None:
    assert parse_tree(format_tree(topology)) == topology


@given(topologies())
def test_each_entry_is_one_line(topology: Topology) -> None:
    text = format_tree(topology)
    assert len(text.split("\n")) == len(text.splitlines()) + 1 == len(topology.entries) + 1


@pytest.mark.parametrize(
    "entry",
    (
        File("#"),
        File("#a"),
        Dir("#"),
        Link("#link", "#"),
        Link("->", "="),
        HardLink("=", "file"),
    ),
)
def test_a_name_that_looks_like_notation_reads_back(entry: Entry) -> None:
    topology = Topology((File("file"), entry))
    assert parse_tree(format_tree(topology)) == topology


def test_an_empty_text_is_an_empty_farm() -> None:
    assert parse_tree("") == parse_tree("\n  \n# nothing\n") == Topology(())
    assert format_tree(Topology(())) == ""


@pytest.mark.parametrize(
    "line",
    (
        "x",
        "x file extra",
        "x file mode",
        "x/ file",
        "x tmpfs",
        "x bind real",
        "x/ bind",
        "x ->",
        "x -> a b",
        "x =",
        "x socket deaf",
        "x fifo fifo",
        "x/ mode=0755 extra",
        "x => y",
        "a b file",
    ),
)
def test_a_line_that_is_no_entry_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse_tree(f"# first\n\nreal/\n  {line}\n")
    assert str(raised.value) == (
        f"line 4: '{line}' is no entry; write one of NAME/, NAME file, NAME -> TEXT, NAME = OTHER, NAME socket, "
        r"NAME fifo, NAME nsfs, NAME/ tmpfs, NAME/ bind OTHER; a blank in a name is \x20"
    )


@pytest.mark.parametrize(
    "mode", ("mode=", "mode=0855", "mode=0795", "mode=10000", "mode=-1", "mode=0o755", "mode=\u00b2")
)
@pytest.mark.parametrize("form", ("x/ {}", "x file {}"))
def test_a_mode_that_is_not_octal_is_refused(form: str, mode: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse_tree(form.format(mode))
    assert str(raised.value) == f"line 1: '{mode}' is no mode; write it in octal, as mode=0640"


@pytest.mark.parametrize(("text", "mode"), (("mode=0", 0), ("mode=7777", 0o7777), ("mode=00640", 0o640)))
def test_a_mode_is_octal(text: str, mode: int) -> None:
    assert parse_tree(f"x/ {text}\ny file {text}").entries == (Dir("x", mode), File("y", mode))


@pytest.mark.parametrize(
    ("text", "message"),
    (
        ("a file\n\n# c\na file\n", "line 4: 'a' is in the tree twice"),
        ("a file\na/ \n", "line 2: 'a' is in the tree twice"),
        ("\nd/x file\nd/\n", "line 2: 'd/x' lies in no folder; add the line 'd/' before it"),
        ("d/\n../x file\n", "line 2: the entry '../x' is not a plain path"),
        ("/x file\n", "line 1: the entry '/x' is not a plain path"),
        ("x = y\ny file\n", "line 1: 'x' is a hard link of 'y', which is no file before it"),
        ("y/\nx/ bind z\n", "line 2: 'x' is a second mount of 'z', which is no folder before it"),
        ("\nx -> a\\b\n", "line 2: 'a\\b' holds a backslash"),
        ("x\\x00 file\n", "line 1: 'x\\x00' holds a NUL byte"),
        ("a\\x20b/x file\n", "line 1: 'a\\x20b/x' lies in no folder; add the line 'a\\x20b/' before it"),
    ),
)
def test_an_error_names_the_line(text: str, message: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse_tree(text)
    assert str(raised.value).startswith(message)
    assert raised.value.__suppress_context__
