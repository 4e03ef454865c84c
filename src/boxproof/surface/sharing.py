# SPDX-License-Identifier: MIT
"""How the workers of xdist share the items: the long ones first, and as many for each.

An item is a case or fifty generated ones, and the search for the smallest that still fails. In the order of collection
these come last, one after the other: one worker would have them all, and the others would have nothing to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TypeVar

import pytest

from boxproof.surface.generated import GeneratedItem

T = TypeVar("T")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Let workers that have nothing left take items from others, unless the user asks for another way (--dist)."""
    if config.option.dist != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling  # noqa: PLC0415 - imported where workers are asked for

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put items in the order in which workers are to take them; each of them has to come to the same."""
    workers = int(getattr(config, "workerinput", {}).get("workercount", 0))
    if workers:
        generated = [item for item in items if isinstance(item, GeneratedItem)]
        others = [item for item in items if not isinstance(item, GeneratedItem)]
        items[:] = dealt([*sorted(generated, key=_is_of_one_policy)], others, workers)


def dealt(long: Sequence[T], others: Sequence[T], workers: int) -> list[T]:
    """Return all in one order, the long ones dealt out to the beginnings of what each worker gets at first.

    That is a part of the order as long as any other, or one shorter.
    """
    rest = iter(others)
    order: list[T] = []
    for number in range(workers):
        length = (len(long) + len(others) - len(order)) // (workers - number)
        own = long[number::workers]
        order += [*own, *islice(rest, max(0, length - len(own)))]
    return [*order, *rest]


def _is_of_one_policy(item: GeneratedItem) -> bool:
    """Tell whether each example is one launch; those of a relation are two."""
    return not item.source.relation
