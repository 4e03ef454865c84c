# SPDX-License-Identifier: MIT
"""A folder of a test's own on this host, and what runs of the suite have left there."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from boxproof.grounds.accounts import LaunchUser, launch_user
from boxproof.grounds.descendants import await_end, stat_fields
from boxproof.grounds.host import find_farm_root
from boxproof.grounds.kit import _bwrap

MARK = "BOXPROOF_TEST_PLACE"
"""A variable that all processes of a test's runs inherit; the environment of a launch names its farm instead."""
PATH = "/usr/local/bin:/usr/bin:/bin"
SECONDS = 60.0
"""What may pass before a process that should end counts as left."""


@frozen
class Place:
    """A folder that every user can reach.

    Args:
        root: the folder; short, since a farm's sockets lie below it.
        user: who launches run as.
    """

    root: Path
    user: LaunchUser

    @property
    def farms(self) -> Path:
        """The folder for ``--farm-root``."""
        return self.root / "farms"

    @property
    def open(self) -> Path:
        """A folder in which launches may write."""
        return self.root / "open"

    def bwrap(self) -> Path:
        """Return a bwrap that launches can execute."""
        return _bwrap(self.root, self.user, PATH)

    def processes(self) -> list[int]:
        """Return the living processes of runs that were started here, the tests' own aside."""
        found = (int(entry) for entry in os.listdir("/proc") if entry.isdigit())
        return [pid for pid in found if pid != os.getpid() and self._owns(pid)]

    def left(self) -> list[str]:
        """Wait for processes that are about to end; return what is left of runs: processes, folders and mounts."""
        limit = time.monotonic() + SECONDS
        while (running := self.processes()) and (remaining := limit - time.monotonic()) > 0:
            await_end(running, remaining)
        mounts = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines()
        return [
            *(f"process {pid}" for pid in running),
            *(f"folder {name}" for name in os.listdir(self.farms)),
            *(f"mount {line}" for line in mounts if f" {self.root}" in line),
        ]

    def _owns(self, pid: int) -> bool:
        fields = stat_fields(pid)
        if not fields or fields[0] in "ZX":
            return False
        try:
            return os.fsencode(self.root) in Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:  # another user's, or gone
            return False


def find_spot() -> Path:
    """Return the folder in which this host would put farms."""
    candidate = find_farm_root(launch_user())
    candidate.rmdir()
    return candidate.parent


@contextmanager
def new_place(spot: Path) -> Iterator[Place]:
    """Hold a folder in which farms may lie, and remove it."""
    root = Path(tempfile.mkdtemp(prefix="b-", dir=spot))
    try:
        root.chmod(0o755)
        place = Place(root, launch_user())
        place.farms.mkdir(mode=0o755)
        place.open.mkdir()
        place.open.chmod(0o777)
        yield place
    finally:
        for folder, _, _ in os.walk(root):
            os.chmod(folder, stat.S_IRWXU)
        shutil.rmtree(root)
