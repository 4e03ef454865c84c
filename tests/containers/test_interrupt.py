# SPDX-License-Identifier: MIT
"""A run that is cut short leaves no container: none that runs, and none that has ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

from boxproof.grounds.container.engine import Engine
from boxproof.grounds.container.launcher import LABEL
from tests.endtoend.test_interrupt import HANGS, HANGS_INSIDE, in_the_middle
from tests.plugin.cases import case_text, module_text
from tests.plugin.place import SECONDS
from tests.plugin.suite import Suite

pytestmark = pytest.mark.containers
GROUND = "--ground=container:debian"


@pytest.fixture
def two(suite: Suite, engine: Engine) -> Iterator[Suite]:
    """A suite of two cases."""
    if engine.ask("image", "inspect", "localhost/boxproof/debian").returncode:
        pytest.skip("no image 'debian': containers/build.sh debian")
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    yield suite
    assert suite.place.left() == []
    assert _containers(engine) == []


@pytest.mark.parametrize("body", (HANGS, HANGS_INSIDE), ids=["helper", "sandbox"])
@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGKILL), ids=lambda number: number.name)
def test_in_the_middle_of_a_launch(two: Suite, body: str, number: signal.Signals) -> None:
    with in_the_middle(two, body, GROUND, "-p", "no:cacheprovider") as process:
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
        assert process.returncode != pytest.ExitCode.OK


def _containers(engine: Engine) -> list[str]:
    """Wait for the engine to take down what ends; return what is left."""
    limit = time.monotonic() + SECONDS
    while (left := list(engine.containers(LABEL))) and time.monotonic() < limit:
        engine.ask("wait", *left)
    return left
