# SPDX-License-Identifier: MIT
"""Every condition, in force: its canaries differ from what they say without it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from boxproof.conditions.registry import conditions, find_condition
from boxproof.errors import ConditionError
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.certify import answers, why_not_in_force
from boxproof.grounds.command import Command
from boxproof.grounds.ground import Ground
from boxproof.grounds.simulated import simulate
from boxproof.model.topology import Dir, Topology


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    with Ground(launch_user("user")) as ground:
        yield ground


def _certified(ground: Ground, names: str) -> tuple[str, bool]:
    """Return why a condition is not in force, and whether its canaries say the same without it."""
    with ground.site(Topology((Dir("ws"),))) as site:
        site.farm.build(Topology((Dir("ws"),)), "key")
        simulated = simulate(
            find_condition(names), base=ground.base, cwd=f"{ground.farm_path}/ws", user=ground.user, env=site.env
        )
        why_not = why_not_in_force(site.launcher, simulated)
        without, _ = answers(site.launcher, simulated, bare=True)
        return why_not, without == [canary.wanted(simulated.places) for canary in simulated.condition.canaries]


@pytest.mark.parametrize("name", conditions())
def test_a_condition_is_in_force(name: str, ground: Ground) -> None:
    try:
        certified = _certified(ground, name)
    except ConditionError as error:
        pytest.skip(str(error))
    assert certified == ("", False)


@pytest.mark.parametrize(
    "names",
    (
        "no-landlock+no-userns-eperm",
        "no-bwrap+landlock-abi-2",
        "proc-masked+no-new-privs+few-descriptors",
        "userns-limit+no-landlock",
        "bwrap-hangs+landlock-off",
    ),
)
def test_conditions_are_put_together(names: str, ground: Ground) -> None:
    try:
        certified = _certified(ground, names)
    except ConditionError as error:
        pytest.skip(str(error))
    assert certified == ("", False)


def test_a_condition_that_is_not_in_force_is_told(ground: Ground) -> None:
    lame = find_condition("no-landlock")
    with ground.site(Topology(())) as site:
        simulated = simulate(lame, base=ground.base, cwd="/", user=ground.user, env=site.env)
        why_not = why_not_in_force(site.launcher, evolve(simulated, request={**simulated.request, "filter": ""}))
    assert "its canary says" in why_not


@pytest.mark.parametrize(
    ("names", "message"),
    (
        ("no-landlok", "there is no condition 'no-landlok'; did you mean 'no-landlock'?"),
        ("no-landlock+landlock-off", "both are about landlock"),
        ("landlock-abi-3+userns-sysctl", "both are about listener"),
        ("bwrap-dies+no-bwrap", "both are about bwrap"),
    ),
)
def test_what_cannot_be_put_together_is_a_clear_error(names: str, message: str) -> None:
    with pytest.raises(ConditionError, match=message.replace("?", r"\?")):
        find_condition(names)


def test_the_weakest_part_says_how_true_the_whole_is() -> None:
    assert find_condition("proc-masked+no-landlock").fidelity == "equivalent"
    assert find_condition("proc-masked+kernel-5.14").fidelity == "approximate"


def test_the_launcher_and_this_process_stay_as_they_are(ground: Ground) -> None:
    before = Path("/proc/self/status").read_text()
    _certified(ground, "docker-default+no-landlock")
    assert "Seccomp:\t0" in before
    assert "Seccomp:\t0" in Path("/proc/self/status").read_text()
    with ground.site(Topology(())) as site:
        launch = site.launch(Command(["/bin/sh", "-c", "grep -c 'Seccomp:.0' /proc/self/status"], deadline=20))
    assert launch.stdout == b"1\n"
    assert os.path.exists("/dev/null")
