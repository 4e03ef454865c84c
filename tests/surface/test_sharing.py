# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdist.scheduler import WorkStealingScheduling

from boxproof.surface.sharing import dealt, pytest_xdist_make_scheduler


class Worker:
    """As much of a worker's controller as the scheduler wants."""

    shutting_down = False
    gateway = type("Gateway", (), {"id": "gw"})

    def __init__(self) -> None:
        self.sent: list[int] = []

    def send_runtest_some(self, items: Sequence[int]) -> None:
        self.sent += items

    def shutdown(self) -> None:
        """Nothing is there to be ended."""


def first_parts(items: Sequence[str], workers: int) -> list[list[str]]:
    """Return what xdist gives to each worker at first."""
    scheduler = WorkStealingScheduling(Config(workers), None)
    controllers = [Worker() for _ in range(workers)]
    for controller in controllers:
        scheduler.add_node(controller)
    for controller in controllers:
        scheduler.add_node_collection(controller, items)
    scheduler.schedule()
    return [[items[number] for number in controller.sent] for controller in controllers]


class Config:
    """As much of a configuration."""

    def __init__(self, workers: int, dist: str = "load") -> None:
        self.option = type("Option", (), {"dist": dist})
        self._workers = workers

    def getvalue(self, name: str) -> object:
        return {"tx": ["popen"] * self._workers, "dist": "worksteal"}[name]


@given(st.integers(0, 40), st.integers(0, 200), st.integers(1, 9))
def test_nothing_is_lost_and_others_stay_in_order(long: int, others: int, workers: int) -> None:
    order = dealt([f"long {number}" for number in range(long)], [str(number) for number in range(others)], workers)
    assert [item for item in order if "long" not in item] == [str(number) for number in range(others)]
    assert sorted(item for item in order if "long" in item) == sorted(f"long {number}" for number in range(long))


@pytest.mark.parametrize("workers", (1, 2, 3, 4, 8))
@pytest.mark.parametrize("others", (160, 161, 858))
def test_each_worker_begins_with_its_share_of_the_long_ones(others: int, workers: int) -> None:
    order = dealt(["long"] * 23, ["short"] * others, workers)
    for part in first_parts([f"{word} {number}" for number, word in enumerate(order)], workers):
        words = [item.split()[0] for item in part]
        share = words.count("long")
        assert share in {23 // workers, -(-23 // workers)}
        assert words == ["long"] * share + ["short"] * (len(words) - share)


@pytest.mark.parametrize(("dist", "ours"), (("load", True), ("loadfile", False), ("no", False)))
def test_only_the_default_way_is_replaced(dist: str, ours: bool) -> None:  # noqa: FBT001
    scheduler = pytest_xdist_make_scheduler(Config(2, dist), None)  # type: ignore[arg-type]
    assert isinstance(scheduler, WorkStealingScheduling) is ours
