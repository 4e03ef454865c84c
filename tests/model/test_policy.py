# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxproof.errors import NotationError
from boxproof.model.policy import ACCESSES, Policy, Rule, format_rule, parse_rule, spelled_at
from tests.model.strategies import TEXTS

RULES = st.builds(Rule, st.sampled_from(ACCESSES), TEXTS)


@given(RULES)
def test_a_rule_that_is_written_reads_back(rule: Rule) -> None:
    written = format_rule(rule)
    assert parse_rule(written) == rule
    assert len(written.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "rule"),
    (
        ("ro a", Rule("ro", "a")),
        ("rw {farm}/a/../b//", Rule("rw", "{farm}/a/../b//")),
        (r"deny /a\x20b\xff", Rule("deny", "/a b\udcff")),
        ("ro a b", Rule("ro", "a b")),
    ),
)
def test_a_rule_is_read_as_it_stands(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule


@pytest.mark.parametrize("text", ("", "ro", "ro ", "read a", "RO a", " ro a", "a", "rod a"))
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse_rule(text)
    assert str(raised.value) == f"'{text}' is no rule; write 'ro PATH', 'rw PATH' or 'deny PATH'"


def test_a_backslash_in_a_rule_is_refused() -> None:
    with pytest.raises(NotationError, match="holds a backslash"):
        parse_rule(r"ro a\b")


@pytest.mark.parametrize(
    ("spelling", "absolute"),
    (
        ("a", "/f/a"),
        ("", "/f/"),
        ("./a//b/../c/", "/f/./a//b/../c/"),
        ("../x", "/f/../x"),
        ("/a//./b", "/a//./b"),
        ("//a", "//a"),
        ("{farm}", "/f"),
        ("{farm}/a", "/f/a"),
        ("{farm}/../{farm}", "/f/..//f"),
        ("/../{farm}/a", "/..//f/a"),
        ("a/{farm}", "/f/a//f"),
    ),
)
def test_a_spelling_is_placed_and_otherwise_kept(spelling: str, absolute: str) -> None:
    assert spelled_at(spelling, "/f") == absolute


def test_a_policy_is_placed_whole() -> None:
    policy = Policy("ws", (Rule("ro", "a"), Rule("deny", "/b")), reads="listed", network=True, tmp="writable")
    assert policy.at("/f") == Policy(
        "/f/ws", (Rule("ro", "/f/a"), Rule("deny", "/b")), reads="listed", network=True, tmp="writable"
    )
    assert policy.at("/f").at("/g") == policy.at("/f")
    assert policy.cwd == "ws"


def test_a_policy_by_default_reads_everything_and_nothing_more() -> None:
    policy = Policy("ws")
    assert (policy.rules, policy.reads, policy.network, policy.tmp) == ((), "everything", False, "closed")


@pytest.mark.parametrize("wrong", ({"reads": "some"}, {"tmp": "open"}))
def test_a_policy_with_an_unknown_word_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be in"):
        Policy("ws", **wrong)


def test_a_rule_with_an_unknown_access_is_refused() -> None:
    with pytest.raises(ValueError, match="must be in"):
        Rule("write", "a")  # type: ignore[arg-type]
