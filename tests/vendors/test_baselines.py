# SPDX-License-Identifier: MIT
"""What is known of the pinned releases: each line has a reason and a reference, and is about a case of the suite."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from boxproof.helpers.registry import adapters
from boxproof.model.baseline import Baseline, Known, Pattern, digest, load_baseline, parse_id
from boxproof.model.outcome import KINDS, SECURITY
from boxproof.model.suite import CaseSource
from conformance import test_ca
from tests.fixtures.gather import around, cases
from tests.known_bad.recorded import recorded
from tests.vendors.columns import KNOWN
from tests.vendors.pins import read_list

FILES = sorted(KNOWN.glob("*.toml"))
NONE = "none: smallest in "
each_file = pytest.mark.parametrize("path", FILES, ids=operator.attrgetter("stem"))


@cache
def ids() -> frozenset[tuple[str, str]]:
    """Return the requirement and the id of every case."""
    paths = [case for source in vars(test_ca).values() if isinstance(source, CaseSource) for case in source.cases()]
    return frozenset((case.requirement, case.id) for case in (*cases(), *around(), *paths, *recorded().values()))


def read(path: Path) -> Baseline:
    return load_baseline(path.read_text(encoding="utf-8"), path.name)


def columns() -> Iterator[tuple[str, str, str]]:
    """Iterate over names of files, each with the adapter and the version of its helper."""
    choices = {adapter.name: adapter.documented.choices for adapter in adapters()}
    for vendor in read_list():
        for backend in choices[vendor.adapter] or [""]:
            yield f"{vendor.key}-{backend}".rstrip("-"), vendor.adapter, vendor.version
    # those of Debian 12, on which these files were made, and a checkout: no packages to be pinned
    yield from (("bwrap-0.8.0", "bwrap", "0.8.0"), ("firejail-0.9.72", "firejail", "0.9.72"))
    yield "mkosi-sandbox-27-devel", "mkosi-sandbox", "27~devel"


def test_every_file_is_of_a_release() -> None:
    assert {path.stem for path in FILES} <= {name for name, _, _ in columns()}


@each_file
def test_every_line_is_explained(path: Path) -> None:
    for known in read(path).known:
        assert (known.helper, known.versions) == ("*", ""), "the file's name says of which helper it is"
        assert known.withheld or known.reference, known.reason
        if known.reference.startswith("none"):
            smallest = parse_id(known.reference.removeprefix(NONE))
            assert known.about(smallest.requirement, smallest.case)
            assert not known.kinds & SECURITY, "what is not public is withheld"


@each_file
def test_every_line_is_about_a_case(path: Path) -> None:
    for known in read(path).known:
        for pattern in known.ids:
            assert any(_matches(pattern, *case) for case in ids()), f"{pattern} is about no case"


@each_file
def test_every_digest_is_about_a_case(path: Path) -> None:
    adapter, version = next((adapter, version) for name, adapter, version in columns() if name == path.stem)
    withheld = set[str]().union(*(known.withheld for known in read(path).known))
    if withheld:
        every = (digest(adapter, version, f"{name}[{case}]", kind) for name, case in ids() for kind in KINDS)
        assert not withheld - set(every)


@each_file
def test_no_kind_of_a_case_is_listed_twice(path: Path) -> None:
    listed: dict[tuple[str, str, str], Known] = {}
    for known in read(path).known:
        for case in ids():
            for kind in known.kinds if known.about(*case) else ():
                assert listed.setdefault((*case, kind), known) is known, f"{case} is listed twice"


def _matches(pattern: Pattern, requirement: str, case: str) -> bool:
    return pattern.matches(requirement, case, None)
