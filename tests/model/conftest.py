# SPDX-License-Identifier: MIT
"""A place on disk for the tests that ask the kernel, and the same examples on every machine."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("model", derandomize=True, database=None, deadline=None)
settings.load_profile("model")


@pytest.fixture
def ground() -> Iterator[str]:
    """Give the canonical path of an empty folder outside the temp folder, a few levels down so that links can climb."""
    caches = ("/var/cache", os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "/var/tmp")  # noqa: S108 - the folder below it is made by mkdtemp
    base = next(folder for folder in caches if os.access(folder, os.W_OK | os.X_OK))
    made = os.path.realpath(tempfile.mkdtemp(prefix="boxproof-tests-", dir=base))
    try:
        farm = f"{made}/one/two/farm"
        os.makedirs(farm)
        yield farm
    finally:
        for folder, names, _ in os.walk(made):
            for name in names:
                if not os.path.islink(f"{folder}/{name}"):
                    os.chmod(f"{folder}/{name}", 0o700)
        shutil.rmtree(made)
