# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Iterator

import pytest
from attrs import evolve

from boxproof.errors import CaseError
from boxproof.model.case import Case
from boxproof.model.policy import Policy
from boxproof.model.suite import CaseSource, judges
from boxproof.model.tree import parse_tree

CASE = Case("one", "NONE-0", "a title", parse_tree("ws/\n"), Policy("ws"))


def test_a_source_puts_its_cases_under_its_requirement() -> None:
    @judges("MASK-2")
    def source() -> Iterator[Case]:
        yield CASE
        yield evolve(CASE, id="two")

    assert isinstance(source, CaseSource)
    assert [case.name for case in source.cases()] == ["MASK-2[one]", "MASK-2[two]"]
    assert [case.name for case in source.cases()] == ["MASK-2[one]", "MASK-2[two]"]


def test_a_source_has_no_two_cases_with_one_id() -> None:
    source = CaseSource("MASK-2", lambda: [CASE, evolve(CASE, title="another")])
    with pytest.raises(CaseError, match="MASK-2 has two cases with the id 'one'"):
        list(source.cases())


def test_a_source_for_no_requirement_gives_no_case() -> None:
    with pytest.raises(CaseError, match="is no requirement id"):
        list(CaseSource("mask", lambda: [CASE]).cases())
