# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from boxproof.errors import NotationError
from boxproof.model.row import Row, format_rows, parse_rows

TEXT = """
# a comment
/etc/ssl/                                          folder
/etc/ssl/cert.pem                                  -> ../pki/tls/cert.pem
/etc/ssl/bundle.pem                                file mode=0444
/etc/ssl/locked/                                   folder mode=0555
/etc/ssl/gone.pem                                  absent
/etc/pki                                           unknown
/etc/a\\x20b                                        -> c\\x20d
"""
ROWS = (
    Row("/etc/ssl", "folder"),
    Row("/etc/ssl/cert.pem", "link", "../pki/tls/cert.pem"),
    Row("/etc/ssl/bundle.pem", "file", mode=0o444),
    Row("/etc/ssl/locked", "folder", mode=0o555),
    Row("/etc/ssl/gone.pem", "absent"),
    Row("/etc/pki", "unknown"),
    Row("/etc/a b", "link", "c d"),
)


def test_rows_are_read() -> None:
    assert parse_rows(TEXT) == ROWS


def test_rows_are_written_as_they_are_read() -> None:
    assert parse_rows(format_rows(ROWS)) == ROWS


@pytest.mark.parametrize(
    ("text", "said"),
    (
        ("etc/ssl/ folder", "line 1: 'etc/ssl/' is no absolute path in its plainest form; write one such as /etc/ssl"),
        ("/a/../b file", "line 1: '/a/../b' is no absolute path in its plainest form; write one such as /etc/ssl"),
        ("/ folder", "line 1: '/' is no absolute path in its plainest form; write one such as /etc/ssl"),
        ("\n/a fiel", "line 2: 'fiel' is no kind of a row; did you mean 'file'?"),
        ("/a", "line 1: '/a' is no row; write PATH -> TEXT, or PATH KIND [mode=0644]"),
        ("/a ->", "line 1: '/a ->' is no row; write PATH -> TEXT, or PATH KIND [mode=0644]"),
        (
            "/a absent mode=0644",
            "line 1: '/a absent mode=0644' is no row; write PATH -> TEXT, or PATH KIND [mode=0644]",
        ),
        ("/a file 0644", "line 1: '0644' is no mode; write it in octal, as mode=0640"),
        ("/a file mode=0999", "line 1: 'mode=0999' is no mode; write it in octal, as mode=0640"),
        ("/a folder", "line 1: '/a' is said to be 'folder'; end the name of a folder alone in '/'"),
        ("/a/ file", "line 1: '/a/' is said to be 'file'; end the name of a folder alone in '/'"),
        ("/a file\n/a absent", "line 2: '/a' has two rows; keep one of them"),
        ("/a -> b\n/a/c file", "line 2: '/a/c' lies below '/a', which is 'link'"),
        ("/a absent\n/a/c file", "line 2: '/a/c' lies below '/a', which is 'absent'"),
    ),
)
def test_what_is_wrong_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse_rows(text)
    assert str(raised.value) == said
