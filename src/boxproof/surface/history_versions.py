# SPDX-License-Identifier: MIT
"""The versions of a helper: found by paths and patterns, told by the helper itself or its path, and put in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from glob import glob
from pathlib import Path
from typing import Final, TypeAlias

from attrs import evolve, frozen
from packaging.version import InvalidVersion, Version

from boxproof.errors import BoxproofError, HelperError
from boxproof.surface.engine import Engine

_IN_PATH: Final = re.compile(r"(?<![\w.])v?([0-9]+(?:\.[0-9]+)+(?:[-.]?(?:a|b|rc|alpha|beta)[-.]?[0-9]+)?)(?![\w])")
Making: TypeAlias = Callable[[str], Engine]
"""Makes an engine for one value of ``--helper``, which asks the helper for its version and starts nothing else yet."""


@frozen
class Release:
    """One version of a helper.

    Args:
        given: as ``--helper`` takes it.
        name: its version, as it tells it or else its path does; ``""`` where neither does.
        engine: what judges under it, or ``None`` where it cannot be driven.
        trouble: why it cannot be driven, else ``""``.
    """

    given: str
    name: str
    engine: Engine | None
    trouble: str = ""


def find_releases(helpers: Sequence[str], patterns: Sequence[str], make: Making) -> tuple[Release, ...]:
    """Return the releases in the order of the command line.

    Args:
        helpers: paths or names, each of which must be a helper.
        patterns: of paths; a match that cannot be driven is a release of which nothing can be told.
        make: makes an engine.

    Raises:
        BoxproofError: for a helper that cannot be used, a pattern without a match, and where nothing can be driven.
    """
    releases = [_release(given, make) for given in helpers]
    releases += [_found(path, make) for pattern in patterns for path in _matches(pattern)]
    if not releases:
        raise HelperError("there is no helper", cure="give --helper-glob=PATTERN, or --helper=PATH for each version")
    if not any(release.engine for release in releases):
        raise HelperError(f"none of {len(releases)} helpers can be driven", cause=releases[0].trouble)
    return tuple(releases)


def by_version(releases: Sequence[Release]) -> tuple[Release, ...]:
    """Return the releases ordered by their versions, the oldest first.

    Raises:
        HelperError: for one without a version, and for two of the same.
    """
    known: dict[Version, Release] = {}
    for release in releases:
        version = _version(release.name)
        if version is None:
            raise HelperError(f"neither '{release.given}' nor its path tells a version", cure="order them, --as-given")
        if version in known:
            both = f"'{known[version].given}' and '{release.given}'"
            raise HelperError(f"{both} are both {version}", cure="give each version once, or --as-given")
        known[version] = release
    return tuple(known[version] for version in sorted(known))


def as_given(releases: Sequence[Release]) -> tuple[Release, ...]:
    """Return the releases in the order that they have, each called as it was given."""
    return tuple(evolve(release, name=release.given) for release in releases)


def version_in(path: str) -> str:
    """Return the version that a path names, by the component nearest to its end; ``""`` where none does."""
    found = (_IN_PATH.search(part) for part in reversed(Path(path).parts))
    return next((match[1] for match in found if match), "")


def _matches(pattern: str) -> list[str]:
    found = sorted(glob(pattern, recursive=True))
    if not found:
        raise HelperError(f"--helper-glob={pattern} matches nothing", cure="quote the pattern, and try it with ls")
    return found


def _release(given: str, make: Making) -> Release:
    engine = make(given)
    told = engine.subjects[0].helper.version
    return Release(given, told if _version(told) else version_in(given), engine)


def _found(path: str, make: Making) -> Release:
    try:
        return _release(path, make)
    except BoxproofError as error:
        return Release(path, version_in(path), None, str(error))


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None
