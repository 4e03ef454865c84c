# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from hypothesis import given

from boxproof.errors import NotationError
from boxproof.model.names import escape, unescape
from tests.model.strategies import TEXTS


@given(TEXTS)
def test_what_is_written_reads_back(text: str) -> None:
    assert unescape(escape(text)) == text


@given(TEXTS)
def test_what_is_written_is_one_word_of_one_line(text: str) -> None:
    written = escape(text)
    assert written.split() == [written]
    assert written.splitlines() == [written]
    assert written.encode("utf-8")
    assert escape(unescape(written)) == written


@pytest.mark.parametrize(
    ("text", "written"),
    (
        ("plain-name_1.txt~", "plain-name_1.txt~"),
        ("", ""),
        ("杏/é", "杏/é"),
        ("a b", r"a\x20b"),
        ("a\tb\n", r"a\x09b\x0a"),
        ("a:b\\c", r"a\x3ab\x5cc"),
        ("\x7f\x85\xa0", r"\x7f\xc2\x85\xc2\xa0"),
        ("\u2028\u2029", r"\xe2\x80\xa8\xe2\x80\xa9"),
        ("\udcff\udc80", r"\xff\x80"),
        ("{farm}/a", "{farm}/a"),
        ("{up}{farm}", "{up}{farm}"),
        ("{far}{x}", r"\x7bfar\x7d\x7bx\x7d"),
        ("{{up}}", r"\x7b{up}\x7d"),
    ),
)
def test_a_name_is_written(text: str, written: str) -> None:
    assert escape(text) == written
    assert unescape(written) == text


@pytest.mark.parametrize(
    ("written", "text"),
    ((r"\x41", "A"), (r"\xC3\xa9", "é"), (r"\xc3", "\udcc3"), (r"é\xff", "é\udcff"), ("a b", "a b"), ("", "")),
)
def test_more_than_escape_writes_is_read(written: str, text: str) -> None:
    assert unescape(written) == text


@pytest.mark.parametrize("text", ("\\", "a\\", r"\n", r"\x", r"\x4", r"\xg0", r"\\", r"\x41\x", "\\\n"))
def test_a_bare_backslash_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"holds a backslash; write a literal backslash as \\x5c") as raised:
        unescape(text)
    assert "\n" not in str(raised.value)


def test_a_nul_byte_is_refused() -> None:
    with pytest.raises(NotationError, match="holds a NUL byte"):
        unescape(r"a\x00b")
    with pytest.raises(NotationError, match="holds a NUL byte"):
        unescape("a\0b")
