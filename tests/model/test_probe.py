# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxproof.errors import NotationError
from boxproof.model.probe import MUTATING, OPERATIONS, OUTCOMES, WITH_OTHER, Probe, format_probe, parse_probe
from tests.model.strategies import TEXTS


@st.composite
def probes(draw: st.DrawFn) -> Probe:
    operation = draw(st.sampled_from(OPERATIONS))
    other = draw(TEXTS) if operation in WITH_OTHER else ""
    return Probe(operation, draw(TEXTS), other, draw(st.frozensets(st.sampled_from(OUTCOMES))))


@given(probes())
def test_a_probe_that_is_written_reads_back(probe: Probe) -> None:
    written = format_probe(probe)
    assert parse_probe(written) == probe
    assert len(written.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "probe"),
    (
        ("read a", Probe("read", "a")),
        ("read ./a: denied", Probe("read", "./a", expected=frozenset({"denied"}))),
        ("write {farm}/a: absent|allowed", Probe("write", "{farm}/a", "", frozenset({"allowed", "absent"}))),
        (r"rename a\x20b c\x3a", Probe("rename", "a b", "c:")),
        ("link a b: any", Probe("link", "a", "b", frozenset({"any"}))),
        ("read a:b", Probe("read", "a:b")),
    ),
)
def test_a_probe_is_read(text: str, probe: Probe) -> None:
    assert parse_probe(text) == probe


def test_outcomes_are_written_in_one_order() -> None:
    assert format_probe(Probe("read", "a", expected=frozenset({"absent", "allowed"}))) == "read a: allowed|absent"


@pytest.mark.parametrize("text", ("", "look a", "Read a", " read a", "reads a", ": denied"))
def test_an_unknown_operation_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="is no operation; write one of read, write, create") as raised:
        parse_probe(text)
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("text", "count", "wanted"),
    (
        ("read", 0, 1),
        ("read a b", 2, 1),
        ("rename a", 1, 2),
        ("rename a b c", 3, 2),
        ("read ", 1, 1),
        ("read  a", 2, 1),
        ("rename a ", 2, 2),
    ),
)
def test_a_wrong_number_of_paths_is_refused(text: str, count: int, wanted: int) -> None:
    with pytest.raises(NotationError) as raised:
        parse_probe(text)
    operation = text.partition(" ")[0]
    assert str(raised.value) == (
        f"'{text}' has {count} paths ('{operation}' takes {wanted}); a blank in a path is \\x20, a colon \\x3a"
    )


@pytest.mark.parametrize("outcomes", ("", "none", "allowed|", "allowed|allowed", "allowed denied", " denied"))
def test_unknown_outcomes_are_refused(outcomes: str) -> None:
    with pytest.raises(NotationError) as raised:
        parse_probe(f"read a: {outcomes}")
    assert str(raised.value) == f"'{outcomes}' is no set of outcomes; join some of allowed, denied, absent, any by '|'"


def test_operations_with_two_paths_change_the_tree() -> None:
    assert WITH_OTHER < MUTATING < set(OPERATIONS)
    assert not MUTATING & {"read", "write", "create", "list", "stat", "exec", "connect"}
