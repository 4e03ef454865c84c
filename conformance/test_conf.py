# SPDX-License-Identifier: MIT
"""CONF: a malformed policy is refused."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import malformed


@judges("CONF-1")
def malformed_documents() -> Iterator[Case]:
    """A policy with an unknown key, a misspelt word, a wrong type and the like is refused, not ignored."""
    yield from malformed.documents()
