# SPDX-License-Identifier: MIT
"""Path resolution beside the kernel: generated topologies on disk, the same questions to both, no difference.

About 46,000 walks and as many ``O_CREAT`` in all, in a few seconds, so that they always run. What is compared is the
errno, the canonical path and the kind, with and without following a last link; and the name of the file made.
"""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from typing import Final

import pytest

from tests.model.compare import Tally, compare
from tests.model.generate import generator
from tests.model.kernel import drop_to, enter_mount_namespace

UID: Final = 1500


def test_the_model_agrees_with_the_kernel(ground: str) -> None:
    tally = compare(ground, generator(1), 50, privileged=os.geteuid() == 0)
    assert tally.differences == []
    assert tally.answers.total() >= 1_800


@pytest.mark.parametrize("seed", range(2, 5))
def test_the_model_agrees_with_the_kernel_widely(ground: str, seed: int) -> None:
    tally = compare(ground, generator(seed), 250, privileged=os.geteuid() == 0)
    assert tally.differences == []
    _assert_wide(tally)


def test_the_model_agrees_with_the_kernel_for_an_ordinary_user(ground: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("the other comparisons have run as an ordinary user already")
    above = [ground.rpartition("/one/two/farm")[0] + folder for folder in ("", "/one", "/one/two", "/one/two/farm")]
    for folder in above:
        os.chown(folder, UID, UID)
    with _process() as process:
        process.submit(drop_to, UID).result()
        tally = process.submit(compare, ground, generator(5), 250, privileged=False).result()
    assert tally.differences == []
    assert tally.answers["EACCES"] > 100
    _assert_wide(tally)


def test_the_model_agrees_with_the_kernel_on_mounts(ground: str) -> None:
    with _process() as process:
        try:
            process.submit(enter_mount_namespace).result()
        except OSError as error:
            pytest.skip(f"no mount namespace on this host: {error}")
        tally = process.submit(compare, ground, generator(6, mounts=True), 100, privileged=True).result()
    assert tally.differences == []


def _process() -> ProcessPoolExecutor:
    """Start one process that may give up what this one must keep; forked, as Python itself may be out of its reach."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("fork"))


def _assert_wide(tally: Tally) -> None:
    """Check that the generator still reaches every answer, and often enough for the comparison to mean something."""
    kinds = {"folder", "file", "link", "socket", "fifo", "ENOENT", "ELOOP", "ENOTDIR", "ENAMETOOLONG", "outside"}
    assert min(tally.answers[kind] for kind in kinds) > 50
    assert tally.answers.total() > 9_000
    assert tally.creates.total() > 8_000
    assert tally.creates["made"] > 200
