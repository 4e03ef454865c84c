# SPDX-License-Identifier: MIT
"""A container for each test: of a stand-in for an engine, and of the real one where there is one with the image."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boxproof.errors import GroundError
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.command import Command
from boxproof.grounds.container.engine import Engine, find_engine
from boxproof.grounds.container.ground import UID
from boxproof.grounds.container.launcher import ContainerLauncher
from boxproof.grounds.given import Attendance
from boxproof.grounds.host import farm_root
from boxproof.grounds.launch import Launch

USER = LaunchUser(UID, UID, "boxproof")
ENV = {"PATH": "/usr/bin:/bin"}
DEADLINE = 30.0
STANDIN = Path(__file__).with_name("standin.sh")


@pytest.fixture
def standin(tmp_path: Path) -> Engine:
    """An engine that needs no image; it makes its namespaces as root."""
    if os.geteuid() != 0:
        pytest.skip("the stand-in for an engine needs root")
    script = tmp_path / "podman"
    shutil.copy(STANDIN, script)
    script.chmod(0o755)
    return Engine("podman", str(script), "1.0")


@pytest.fixture
def base() -> Iterator[Path]:
    """A folder for farms as a ground has it."""
    if os.geteuid() != 0:
        pytest.skip("only root has farms that belong to the images' user")
    with farm_root(USER) as root:
        (root / "tmp").mkdir()
        yield root


@pytest.fixture(params=("standin", pytest.param("real", marks=pytest.mark.containers)))
def launcher(request: pytest.FixtureRequest, base: Path) -> Iterator[ContainerLauncher]:
    """A container that runs; after the test nothing of it is left."""
    if request.param == "standin":
        engine, name = request.getfixturevalue("standin"), "standin"
    else:
        engine, name = real_engine(), "debian"
    before = set(os.listdir("/proc/self/fd"))
    with ContainerLauncher(engine, engine.image(name), USER, base) as launcher:
        yield launcher
    assert engine.containers(launcher._label) == []
    assert set(os.listdir("/proc/self/fd")) == before


@pytest.fixture
def sh(launcher: ContainerLauncher) -> Callable[..., Launch]:
    """Run a shell script as a helper."""
    return lambda script, **options: run(launcher, script, **options)


def run(launcher: ContainerLauncher, script: str, **options: object) -> Launch:
    """Run a shell script as a helper, with the options of `Attendance` and of `Command`; none may outlive it."""
    waits = {name: options.pop(name) for name in ("grace", "signals") if name in options}
    attendance = Attendance(**{"grace": 0.0, **waits})  # type: ignore[arg-type] # each test knows its options
    started = {"started": options.pop("started")} if "started" in options else {}
    given: dict[str, object] = {"env": ENV, "deadline": DEADLINE, "attendance": attendance, **options}
    command = Command(["/bin/sh", "-c", script], **given)  # type: ignore[arg-type] # likewise
    return launcher.launch(command, **started)  # type: ignore[arg-type] # likewise


def real_engine() -> Engine:
    """Return an engine that has the project's Debian image; skip without."""
    try:
        engine = find_engine()
        engine.image("debian")
    except GroundError as error:
        pytest.skip(str(error))
    return engine
