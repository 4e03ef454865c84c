# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from boxproof.errors import NotationError
from boxproof.model.layout import load_layout
from boxproof.model.resolve import Tree, resolve
from boxproof.model.row import Row
from boxproof.model.topology import Topology

FOLDER = Path(__file__).parents[2] / "containers" / "layouts"
BIN = "/bin                 -> usr/bin"
EXAMPLE = """\
format = 1
name = "el9"
title = "RHEL 9"
bundle = "/etc/pki/bundle.pem"

[[part]]
about = "certificates"
evidence = "read"
source = "a spec file"
date = 2026-11-30
rows = '''
/etc/ssl/            folder
/etc/ssl/cert.pem    -> /etc/pki/bundle.pem
/etc/pki/bundle.pem  file mode=0444
'''

[[part]]
about = "merged folders"
evidence = "memory"
source = "not looked at"
date = 2026-11-30
rows = '''
/bin                 -> usr/bin
'''
"""
BAD = (
    ("read", "raed", "8: 'part.evidence' cannot be 'raed'; did you mean 'read'?"),
    ("date = 2026-11-30", "", "6: 'part.date' is missing; write a day, as date = 2026-11-30"),
    ("date = 2026-11-30", 'date = "today"', "10: 'part.date' is a string; write a date"),
    ('about = "certificates"', 'abuot = "x"', "7: 'part.abuot' is no known key; did you mean 'about'?"),
    (
        "/etc/ssl/            folder",
        "/etc/ssl/ fodler",
        "12: 'part.rows': 'fodler' is no kind of a row; did you mean 'folder'?",
    ),
    ('bundle = "/etc/pki/bundle.pem"', 'bundle = "/bin"', "4: 'bundle' is '/bin', which no row says to be a file"),
    ('name = "el9"', 'name = "el8"', "2: 'name' is 'el8' in the file 'el9.toml'"),
    (BIN, "/etc/ssl/cert.pem file", "6: 'part': '/etc/ssl/cert.pem' has two rows; keep one of them"),
    (
        BIN,
        "/etc/ssl/cert.pem/x file",
        "6: 'part': '/etc/ssl/cert.pem/x' lies below '/etc/ssl/cert.pem', which is 'link'",
    ),
    ("format = 1", "format = 2", "1: 'format' is 2 (this version of Boxproof reads format 1)"),
)


def test_a_layout_is_read() -> None:
    layout = load_layout(EXAMPLE, "el9.toml")
    assert layout.shown == "el9-layout"
    assert list(layout.by_path) == ["/bin", "/etc/pki/bundle.pem", "/etc/ssl", "/etc/ssl/cert.pem"]
    assert layout.by_path["/etc/ssl/cert.pem"] == Row("/etc/ssl/cert.pem", "link", "/etc/pki/bundle.pem")
    assert [part.evidence for part in layout.parts] == ["read", "memory"]


@pytest.mark.parametrize(("old", "new", "said"), BAD, ids=[said[:50] for _, _, said in BAD])
def test_what_is_wrong_is_said_with_file_line_and_key(old: str, new: str, said: str) -> None:
    assert old in EXAMPLE
    with pytest.raises(NotationError) as raised:
        load_layout(EXAMPLE.replace(old, new, 1), "el9.toml")
    assert str(raised.value) == f"el9.toml:{said}"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_the_links_of_a_layout_lead_somewhere(path: Path) -> None:
    layout = load_layout(path.read_text("utf-8"), path.name)
    rows = tuple(row for row in layout.rows if row.kind != "unknown")
    tree = Tree(Topology((), rows))
    # what leads out of the rows is the host's own; what is known to be missing would be a dangling link
    dangling = [row.path for row in rows if row.kind == "link" and resolve(tree, row.path).error not in {"", "outside"}]
    assert dangling == []


def test_all_layouts_of_the_issue_are_there() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == {
        *("el8", "el9", "el10", "fedora-40", "fedora-43", "fedora-44", "debian-12", "debian-13", "ubuntu-24.04"),
        *("opensuse-tumbleweed", "arch", "alpine", "nixos", "silverblue"),
    }


def test_rows_above_the_farm_are_walked() -> None:
    rows = (
        Row("/etc/ssl", "folder"),
        Row("/etc/ssl/certs", "link", "../pki/certs"),
        Row("/etc/pki/certs", "folder"),
        Row("/etc/pki/certs/bundle.crt", "link", "/etc/pki/bundle.pem"),
        Row("/etc/pki/bundle.pem", "file"),
        Row("/etc/pki/certs/none.crt", "absent"),
    )
    tree = Tree(Topology((), rows))
    found = resolve(tree, "/etc/ssl/certs/bundle.crt")
    assert (found.error, found.real) == ("", "/etc/pki/bundle.pem")
    assert found.links == ("/etc/ssl/certs", "/etc/pki/certs/bundle.crt")
    missing = resolve(tree, "/etc/ssl/certs/none.crt")
    assert (missing.error, missing.creatable) == ("ENOENT", "/etc/pki/certs/none.crt")
    assert resolve(tree, "/etc/ssl/certs/none.crt/x").error == "ENOENT"
    assert resolve(tree, "/etc/ssl/other").error == "outside"
