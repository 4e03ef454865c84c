# SPDX-License-Identifier: MIT
"""The Containerfiles of RPM distributions on a base that stands in for theirs: files and flags, no distribution."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from boxproof.grounds.container.engine import Engine
from tests.containers.conftest import ROOT, SECONDS, Ran, build

pytestmark = pytest.mark.containers
BASE = "localhost/boxproof-base/bookworm"
REPLICA = "localhost/boxproof-base/rpm-replica"


@pytest.fixture(scope="module")
def replica(engine: Engine) -> str:
    """The base, made of Debian's."""
    if engine.ask("image", "inspect", BASE).returncode:
        pytest.skip(f"no image '{BASE}': containers/make-base.sh bookworm")
    build(engine, Path(__file__).with_name("replica"), REPLICA, "--build-arg", f"BASE={BASE}")
    return REPLICA


@pytest.mark.parametrize("name", ("rocky9", "fedora"))
def test_it_builds_and_runs_and_is_no_evidence_of_a_distribution(
    judged: Callable[..., Ran], engine: Engine, replica: str, name: str
) -> None:
    build_named(name, replica, f"{name}-replica")
    reference = f"localhost/boxproof/{name}-replica"
    asked = engine.ask("image", "inspect", "--format", "{{.Config.Labels}}", reference).stdout
    assert f"image.base.name:{replica}" in asked
    ran = judged(f"--ground=container:{reference}", "--helper=reference", "-k", "START-1")
    assert ran.status == pytest.ExitCode.OK, ran.out
    assert {row["evidence"] for row in ran.report["results"]} == {"layout"}
    assert ran.report["grounds"][0]["name"].endswith("-layout")


def build_named(name: str, base: str, tag: str) -> None:
    """Build one of the project's images as a user does."""
    script = ROOT / "containers" / "build.sh"
    done = subprocess.run([script, name, base, tag], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
