# SPDX-License-Identifier: MIT
"""Whether a soak would notice: a leak of one thing in a hundred launches, a verdict that changes, too few launches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from attrs import evolve

from tests.soak.faults import LEAST, faults
from tests.soak.run import SHOWN, Sample, Verdicts
from tests.soak.usage import Usage

ROUND = 50
"""Launches of a round."""
FLAT = Usage(fds=40, rss_kib=80_000, blocks=500_000, below_fds=60, below_kib=30_000, processes=3, mounts=90, inodes=200)
FINE: Mapping[str, Counter[str]] = {"reference": Counter(["pass"]), "bwrap": Counter(["pass", "fail"])}
COUNTED = ("fds", "below_fds", "processes", "mounts", "inodes")


def series(leaks: Mapping[str, float] = {}, rounds: int = 5) -> list[Sample]:
    """Return a sample for each round, in which each thing named grows by so much with a launch."""
    return [
        Sample(launches, float(launches), _leaky(launches, leaks), FINE)
        for launches in range(ROUND, ROUND * rounds + 1, ROUND)
    ]


def _leaky(launches: int, leaks: Mapping[str, float]) -> Usage:
    return evolve(FLAT, **{name: FLAT.rows()[name] + int(launches * share) for name, share in leaks.items()})


def test_what_is_flat_has_no_fault() -> None:
    assert faults(series()) == []


@pytest.mark.parametrize("name", COUNTED)
def test_one_in_a_hundred_launches_shows(name: str) -> None:
    assert faults(series({name: 0.01})) == [f"{name} has grown by 2"]


def test_it_shows_in_the_shortest_soak_that_may_be_called_flat() -> None:
    rounds = 1 + LEAST // ROUND
    assert faults(series(rounds=rounds)) == []
    assert all(faults(series({name: 0.01}, rounds)) for name in COUNTED)


@pytest.mark.parametrize("rounds", (1, 2))
def test_a_shorter_one_is_not_called_flat(rounds: int) -> None:
    assert faults(series(rounds=rounds)) == [
        f"{(rounds - 1) * ROUND} launches after the first round are too few to tell"
    ]


@pytest.mark.parametrize("name", ("rss_kib", "below_kib"))
def test_a_kibibyte_with_each_launch_shows_in_a_long_soak(name: str) -> None:
    assert faults(series({name: 0.1}, 200)) == []
    assert faults(series({name: 1}, 200)) == [f"{name} has grown by 4950"]


@pytest.mark.parametrize("name", ("rss_kib", "below_kib"))
def test_memory_may_settle_in_the_first_half(name: str) -> None:
    samples = series(rounds=9)
    samples[0] = evolve(samples[0], usage=evolve(FLAT, **{name: FLAT.rows()[name] // 2}))
    assert faults(samples) == []


def test_a_few_objects_with_each_launch_show_in_a_long_soak() -> None:
    assert faults(series({"blocks": 0.5}, 400)) == []
    assert faults(series({"blocks": 3}, 400)) == ["blocks has grown by 59850"]


@pytest.mark.parametrize("verdict", ("fail", "error", "flaky"))
def test_the_reference_passes_everything(verdict: str) -> None:
    samples = series()
    samples[-1] = evolve(samples[-1], verdicts={"reference": Counter({"pass": 9, verdict: 1})})
    assert faults(samples) == [f"reference: 1 {verdict}"]


def test_another_helper_may_fail_and_not_be_in_trouble() -> None:
    samples = series()
    samples[-1] = evolve(samples[-1], verdicts={"bwrap": Counter(["fail", "error"])})
    assert faults(samples) == ["bwrap: 1 error"]


def test_a_verdict_that_changes_is_told() -> None:
    verdicts = Verdicts()
    for verdict in ("fail", "fail", "pass"):
        verdicts.add("bwrap", "MASK-1[a]", verdict)
    verdicts.add("reference", "MASK-1[a]", "pass")
    changed = ("bwrap: MASK-1[a] was fail, and is pass",)
    assert tuple(verdicts.changed) == changed
    assert faults([*series()[:-1], evolve(series()[-1], changed=changed)]) == list(changed)


def test_changes_are_kept_within_bounds() -> None:
    verdicts = Verdicts()
    for number in range(2 * SHOWN + 1):
        verdicts.add("bwrap", "MASK-1[a]", "fail" if number % 2 else "pass")
    assert len(verdicts.changed) == SHOWN
