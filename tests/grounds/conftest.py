# SPDX-License-Identifier: MIT
"""A launcher for each test, and the proof that nothing of it stays."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boxproof.grounds.accounts import LaunchUser, launch_user
from boxproof.grounds.command import Command
from boxproof.grounds.given import Attendance
from boxproof.grounds.host import find_interpreter
from boxproof.grounds.launch import Launch, Launcher
from boxproof.grounds.sweep import stragglers

DEADLINE = 20.0
ENV = {"PATH": "/usr/bin:/bin"}


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    """A hang of the launcher is a failure here, not a hang of the tests."""
    previous = signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


def _give_up(*_: object) -> None:
    raise TimeoutError("the test took more than a minute")


@pytest.fixture
def user() -> LaunchUser:
    return launch_user()


@pytest.fixture
def oneself() -> LaunchUser:
    """The tests' own user, who may kill the launcher."""
    return launch_user("root")


@pytest.fixture
def launcher(user: LaunchUser) -> Iterator[Launcher]:
    yield from _clean(Launcher(user))


@pytest.fixture
def own_launcher(oneself: LaunchUser) -> Iterator[Launcher]:
    yield from _clean(Launcher(oneself))


def _clean(launcher: Launcher) -> Iterator[Launcher]:
    before = set(os.listdir("/proc/self/fd"))
    with launcher:
        yield launcher
    assert stragglers(launcher._cookie) == []
    assert set(os.listdir("/proc/self/fd")) == before


@pytest.fixture
def sh(launcher: Launcher) -> Callable[[str], Launch]:
    """Run a shell script as a helper; ``$PYTHON`` is an interpreter that it can execute."""
    return lambda script: run(launcher, script)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user can reach and write in; pytest's own is private to the tests' user."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def run(launcher: Launcher, script: str, deadline: float = DEADLINE, grace: float = 0.0) -> Launch:
    """Run a shell script as a helper."""
    env = {**ENV, "PYTHON": str(find_interpreter(launcher._user))}
    return launcher.launch(
        Command(["/bin/sh", "-c", script], env=env, cwd="/", deadline=deadline, attendance=Attendance(grace=grace))
    )
