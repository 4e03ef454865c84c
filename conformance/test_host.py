# SPDX-License-Identifier: MIT
"""HOST: the host is as it was."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import host


@judges("HOST-1")
def unchanged() -> Iterator[Case]:
    """After an exit, a refusal, SIGTERM and SIGINT the host is as it was."""
    yield from host.unchanged()


@judges("HOST-2")
def unchanged_after_kill() -> Iterator[Case]:
    """After SIGKILL the host is as it was, at the latest after the next run."""
    yield from host.unchanged_after_kill()


@judges("HOST-3")
def nothing_outlives() -> Iterator[Case]:
    """No process and no mount outlives the helper."""
    yield from host.nothing_outlives()
    yield from host.nothing_outlives_kill()


@judges("HOST-4")
def no_placeholder() -> Iterator[Case]:
    """No placeholder is visible while the command runs."""
    yield from host.no_placeholder()
