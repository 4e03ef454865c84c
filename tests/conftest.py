# SPDX-License-Identifier: MIT
"""What tests of whole runs share: a place on the host that must be as it was, and a small suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import boxproof
from tests.known_bad.bench import Bench, new_bench
from tests.plugin.place import MARK, Place, find_spot, new_place
from tests.plugin.suite import CONFTEST, Suite


@pytest.fixture(scope="session")
def spot() -> Path:
    """Where places are made; found before a test's home is another one."""
    return find_spot()


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    """Where the suite's cases are run under bundled helpers."""
    with new_bench(Path(boxproof.__file__).parent) as bench:
        yield bench


@pytest.fixture
def place(spot: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A folder for farms and helpers, in which a test leaves neither farm nor process nor mount."""
    with new_place(spot) as place:
        monkeypatch.setenv(MARK, str(place.root))
        yield place
        assert place.left() == []


@pytest.fixture
def suite(pytester: pytest.Pytester, place: Place, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """An empty suite, wired as the checkout is, without the plugins that happen to be installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(CONFTEST)
    return Suite(pytester, place)
