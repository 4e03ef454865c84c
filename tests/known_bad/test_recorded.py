# SPDX-License-Identifier: MIT
"""Recorded cases can fail: each does under the helper that the table names, but for the controls."""

from __future__ import annotations

import operator

import pytest

from tests.known_bad.bench import Bench
from tests.known_bad.recorded import Row, recorded, rows
from tests.vendors.pins import read_list

BY_KNOWN_BAD = [row for row in rows() if row.known_bad]
ONE_OF_EACH_CLASS = list({row.name.partition("/")[0]: row for row in BY_KNOWN_BAD}.values())


def is_caught(bench: Bench, row: Row) -> bool:
    return bool(bench.catching(row.by, [recorded()[row.name]]))


def test_the_table_holds_each_case_once() -> None:
    assert sorted(row.name for row in rows()) == sorted(recorded())


def test_it_names_helpers_that_there_are_or_says_why_there_is_none() -> None:
    released = {vendor.key for vendor in read_list()}
    assert [row for row in rows() if not (row.known_bad or row.by in released or row.control)] == []


@pytest.mark.parametrize("row", ONE_OF_EACH_CLASS, ids=operator.attrgetter("name"))
def test_one_case_of_each_class_is_failed(bench: Bench, row: Row) -> None:
    assert is_caught(bench, row)


@pytest.mark.crossing
@pytest.mark.parametrize("row", BY_KNOWN_BAD, ids=operator.attrgetter("name"))
def test_each_case_is_failed(bench: Bench, row: Row) -> None:
    assert is_caught(bench, row)
