# SPDX-License-Identifier: MIT
"""START: a valid policy starts."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import ordinary


@judges("START-1")
def existing_entries() -> Iterator[Case]:
    """Ordinary existing entries: the command runs, confined."""
    yield from ordinary.ordinary()
    yield from ordinary.deep()
    yield from ordinary.closed_folders()
