# SPDX-License-Identifier: MIT
"""The table of known-bad helpers: what each replaces, which requirement catches it, and that none is missing."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Iterable

import pytest

from boxproof.known_bad.entry import REFERENCE, KnownBad, places
from boxproof.known_bad.table import find, table
from boxproof.surface.setup import read_contract
from tests.known_bad.bench import Bench, by_requirement, of
from tests.known_bad.page import PAGE, page

LEAST = 60
BY_CHANCE = {"never-sweeps"}
"""Caught where a SIGKILL comes in the few milliseconds in which there is something to sweep; test_behaviour is sure."""
BEYOND = {
    "FALL-2": "the reference has one backend",
    "FALL-4": "what it falls back to would show in the network, which no probe asks about there",
    "FALL-8": "bwrap itself names the option, and its words reach the user whatever the reference says",
}
"""Requirements that no one function of the reference can break, and why."""
JUDGED = [bad for bad in table() if of(bad.caught) and bad.name not in BY_CHANCE]
EACH = pytest.mark.parametrize("bad", table(), ids=operator.attrgetter("name"))


@EACH
def test_it_replaces_one_function_that_the_reference_has(bad: KnownBad) -> None:
    module, _, path = bad.replaced.partition(".")
    assert operator.attrgetter(path)(importlib.import_module(f"{REFERENCE}.{module}")) is bad.original
    assert places(bad.original)


@EACH
def test_its_row_is_complete(bad: KnownBad) -> None:
    known = set(read_contract())
    assert {bad.caught} | {name for name in bad.related if "-" in name} <= known
    assert {name for name in bad.related if "-" not in name} <= {name.partition("-")[0] for name in known}
    assert bad.caught not in bad.related
    assert len(set(bad.related)) == len(bad.related)
    assert bad.mimics
    assert bad.line.endswith(".")


def test_names_are_unique_and_many() -> None:
    names = [bad.name for bad in table()]
    assert len(set(names)) == len(names) >= LEAST
    assert [find(name) for name in names] == list(table())
    assert find("none-such") is None


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_other_one_is_judged() -> None:
    assert {bad.name for bad in table() if bad not in JUDGED} == BY_CHANCE


@pytest.mark.parametrize("bad", JUDGED, ids=operator.attrgetter("name"))
def test_it_is_caught_by_the_requirement_that_is_named(bench: Bench, bad: KnownBad) -> None:
    assert bench.catching(bad.name, of(bad.caught))


@pytest.mark.parametrize("requirement", [name for name in by_requirement() if name not in BEYOND])
def test_without_one_check_something_is_missed(requirement: str) -> None:
    caught = {bad.name: {bad.caught, *bad.related} - {requirement} for bad in JUDGED}
    assert missed(caught)


def missed(caught: dict[str, set[str]]) -> Iterable[str]:
    """Return the known-bad helpers that the requirement named for them did not catch."""
    return [bad.name for bad in JUDGED if bad.caught not in caught[bad.name]]
