# SPDX-License-Identifier: MIT
"""Certificate bundles at their absolute paths, in the shape of each distribution's layout: START and BIND."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.suite import judges
from fixtures import ca_paths


@judges("START-1")
def certificates_as_they_are() -> Iterator[Case]:
    """A bundle named by its own path, and a policy that names none, start."""
    yield from ca_paths.files_alone()
    yield from ca_paths.no_rule()


@judges("START-2")
def certificates_nowhere() -> Iterator[Case]:
    """A bundle that this distribution does not have, or whose link dangles, does not stop the command."""
    yield from ca_paths.missing_alone()
    yield from ca_paths.dangling()


@judges("BIND-1")
def certificates_through_links() -> Iterator[Case]:
    """A bundle named through a distribution's own link is readable."""
    yield from ca_paths.links_alone()


@judges("BIND-2")
def certificates_are_one_object() -> Iterator[Case]:
    """Through each name of the bundle the same object is seen."""
    yield from ca_paths.one_object()


@judges("BIND-3")
def certificate_list() -> Iterator[Case]:
    """A fixed list of bundle names, most of them links to one file and some missing, is one rule."""
    yield from ca_paths.whole_list()
