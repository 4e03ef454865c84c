# SPDX-License-Identifier: MIT
"""The folder with the bwrap that a condition puts first on PATH, and the file that tells whether it was executed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

from attrs import frozen

from boxproof.conditions.bwrap_path import BWRAPS, Bwrap
from boxproof.errors import ConditionError
from boxproof.grounds.accounts import LaunchUser
from boxproof.grounds.kit import spare_bwrap

_WITNESS_MODE: Final = 0o666


@frozen
class LaidBwrap:
    """A bwrap that was laid.

    Args:
        path: what PATH is to be.
        file: the bwrap, or ``""`` where there is none.
        witness: a file with one line for each execution.
    """

    path: str
    file: str
    witness: Path

    @property
    def executions(self) -> int:
        """How often it has been executed."""
        return len(self.witness.read_bytes().splitlines())


def lay_bwrap(kind: str, *, base: Path, cwd: str, user: LaunchUser, path: str) -> LaidBwrap:
    """Make the folder, or use the one that is there.

    Args:
        kind: a name of `BWRAPS`.
        base: the folder for farms.
        cwd: where the helper starts: a folder of the farm that the policy makes writable.
        user: who the helper runs as.
        path: PATH as it is without the condition.

    Raises:
        ConditionError: where the host has no bwrap to stand behind, or only root could give one away.
    """
    bwrap = BWRAPS[kind]
    folder = Path(cwd, "bin") if bwrap.place == "workspace" else base / "bwrap" / kind
    folder.mkdir(parents=True, exist_ok=True)
    witness = base / "bwrap" / "witness"
    witness.parent.mkdir(exist_ok=True)
    witness.write_bytes(b"")
    witness.chmod(_WITNESS_MODE)
    if bwrap.place == "nowhere":
        if not any(folder.iterdir()):
            _link_everything_else(folder, path)
        return LaidBwrap(str(folder), "", witness)
    file = folder / "bwrap"
    real = shutil.which("bwrap", path=path) or spare_bwrap(base / "kit")
    _write(file, bwrap.text(real, str(witness)) if real else "", bwrap, user)
    entry = os.path.relpath(folder, cwd) if bwrap.place == "relative" else str(folder)
    return LaidBwrap(f"{entry}:{path}", str(file), witness)


def _write(file: Path, script: str, bwrap: Bwrap, user: LaunchUser) -> None:
    if not script:
        raise ConditionError("this host has no bwrap that another could stand for", cure="install bubblewrap")
    file.unlink(missing_ok=True)
    file.write_text(script, encoding="utf-8")
    file.chmod(bwrap.mode)
    if bwrap.owner == "other":
        if os.geteuid() != 0:
            raise ConditionError("only root can give a file to another user", cure="run as root")
        os.chown(file, user.uid + 1, user.gid + 1)


def _link_everything_else(folder: Path, path: str) -> None:
    """Link to what PATH holds, the first of each name, but for a bwrap."""
    for entry in path.split(":"):
        for name in os.listdir(entry) if os.path.isdir(entry) else ():
            link = folder / name
            if name != "bwrap" and not os.path.lexists(link):
                link.symlink_to(os.path.join(entry, name))
