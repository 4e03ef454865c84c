# SPDX-License-Identifier: MIT
"""ESC: nothing outside is written."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import attacks, outward_links, second_run


@judges("ESC-1")
def through_links() -> Iterator[Case]:
    """Through a link in a writable folder nothing outside is written, made, removed, renamed or changed."""
    yield from outward_links.writes()
    yield from outward_links.changes()
    yield from outward_links.hard_link()
    yield from outward_links.dangling()


@judges("ESC-2")
def through_links_made_inside() -> Iterator[Case]:
    """The same holds for a link that is made inside the sandbox."""
    yield from outward_links.made_inside()


@judges("ESC-3")
def read_only_names() -> Iterator[Case]:
    """A read-only name in a writable folder cannot be changed, removed, renamed over or exchanged."""
    yield from attacks.on_read_only()
    yield from attacks.on_read_only_by_link()
    yield from attacks.on_read_only_parent()


@judges("ESC-4")
def second_runs() -> Iterator[Case]:
    """A second run reads and writes nothing more because of what the first one left."""
    yield from second_run.planted()
