# SPDX-License-Identifier: MIT
"""The audit passes on the image as it is, and names the row where one link is another."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boxproof.grounds.container.engine import Engine
from tests.audit.image import IMAGES
from tests.containers.conftest import ROOT, build, run_pytest

pytestmark = pytest.mark.containers
CHANGED = "localhost/boxproof/debian-changed"


@pytest.fixture
def changed(engine: Engine, image: Callable[[str], str], tmp_path: Path) -> Iterator[str]:
    """Debian's image with one link changed."""
    reference = engine.image(image("debian")).reference
    (tmp_path / "Containerfile").write_text(f"FROM {reference}\nRUN ln -sfn /run/elsewhere /var/lock\n")
    build(engine, tmp_path, CHANGED)
    yield CHANGED
    engine.ask("image", "rm", "--force", CHANGED)


def audit(name: str, monkeypatch: pytest.MonkeyPatch) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("testinfra", reason="pytest-testinfra is not installed")
    monkeypatch.setenv(IMAGES, name)
    return run_pytest(ROOT, "tests/audit", "-p", "no:cacheprovider")


def test_the_image_is_as_its_layout_says(image: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    done = audit(image("debian"), monkeypatch)
    assert done.returncode == pytest.ExitCode.OK, done.stdout


def test_a_changed_link_fails_with_its_row(changed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = audit(changed, monkeypatch)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "1 failed" in done.stdout
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "containers/layouts/debian-12.toml:" in lines
    assert "has /var/lock -> /run/lock" in lines
    assert "now /var/lock -> /run/elsewhere" in lines
