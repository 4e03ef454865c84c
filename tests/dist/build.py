# SPDX-License-Identifier: MIT
"""Distributions built without the network, by the same backend that ``python -m build`` takes."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

CHECKOUT: Final = Path(__file__).parents[2]
SECONDS: Final = 120.0
EPOCH: Final = "1790000000"
_GIT: Final = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
}


def git(folder: Path, *words: str, umask: int = 0o022) -> str:
    """Run git in a folder; return what it prints."""
    return _run(["git", "-c", "protocol.file.allow=always", *words], folder, _GIT, umask)


def build(tree: Path, kind: Literal["sdist", "wheel"], out: Path) -> Path:
    """Build a tree and return what was built."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    _run(command, tree, {"SOURCE_DATE_EPOCH": EPOCH, "TZ": "UTC"})
    (made,) = out.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return made


def version(tree: Path) -> str:
    """Return the version that a tree would be built as."""
    return _run([sys.executable, "-m", "hatchling", "version"], tree, {}).strip()


def names(distribution: Path) -> set[str]:
    """Return the names of the files in a wheel, or in an sdist below its own folder."""
    if distribution.suffix == ".whl":
        with zipfile.ZipFile(distribution) as wheel:
            return {name for name in wheel.namelist() if not name.endswith("/")}
    with tarfile.open(distribution) as sdist:
        return {member.name.partition("/")[2] for member in sdist.getmembers() if not member.isdir()}


def unpack(sdist: Path, out: Path) -> Path:
    """Unpack an archive with one folder in it; return that."""
    with tarfile.open(sdist) as archive:
        archive.extractall(out, filter="data")
    (tree,) = out.iterdir()
    return tree


def _run(command: list[str], folder: Path, env: Mapping[str, str], umask: int = 0o022) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        umask=umask,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
