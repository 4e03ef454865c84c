# SPDX-License-Identifier: MIT
"""The table of known-bad helpers: what each replaces, which requirement catches it, and that none is missing."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Iterable

import pytest
from attrs import evolve

from boxproof.known_bad.entry import REFERENCE, KnownBad, places
from boxproof.known_bad.table import find, table
from boxproof.surface.setup import read_contract
from tests.known_bad.bench import (
    TWO_WAYS,
    Bench,
    by_any_requirement,
    claiming,
    claiming_two,
    failed,
    lacks_landlock_alone,
    of,
)
from tests.known_bad.page import PAGE, page
from tests.known_bad.test_behaviour import DIFFERS

LEAST = 60
APART = {"never-sweeps": "what is to be swept is left only where both processes are killed within a few milliseconds"}
"""Known-bad helpers that no case catches for sure, and why; test_behaviour looks at them without the suite."""
JUDGED = [bad for bad in table() if of(bad.caught) and bad.name not in APART]
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
    assert {bad.name for bad in table() if bad not in JUDGED} == APART.keys() <= DIFFERS.keys()


@pytest.mark.parametrize("bad", JUDGED, ids=operator.attrgetter("name"))
def test_it_is_caught_by_the_requirement_that_is_named(bench: Bench, bad: KnownBad) -> None:
    assert bench.catching(bad.name, of(bad.caught))


def test_driven_as_if_it_had_two_ways_the_reference_passes(bench: Bench) -> None:
    runner = evolve(bench.runner(""), adapter=claiming_two())
    runs = [runner.run(case) for case in of(TWO_WAYS)]
    assert [run.case.name for run in runs if failed(run) or run.judgement.launch != "ran"] == []


def test_driven_as_if_it_had_landlock_alone_the_reference_passes(bench: Bench) -> None:
    runner = evolve(bench.runner(""), adapter=claiming("Landlock"))
    runs = [runner.run(case) for case in of("FALL-1") if case.condition and lacks_landlock_alone(case)]
    assert runs
    assert [run.case.name for run in runs if failed(run) or run.judgement.launch != "ran"] == []


@pytest.mark.parametrize("requirement", by_any_requirement())
def test_without_one_check_something_is_missed(requirement: str) -> None:
    caught = {bad.name: {bad.caught, *bad.related} - {requirement} for bad in JUDGED}
    assert missed(caught)


def missed(caught: dict[str, set[str]]) -> Iterable[str]:
    """Return the known-bad helpers that the requirement named for them did not catch."""
    return [bad.name for bad in JUDGED if bad.caught not in caught[bad.name]]
