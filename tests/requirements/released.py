# SPDX-License-Identifier: MIT
"""What released helpers came to in one requirement, as a section of its page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from boxproof.model.baseline import Known, load_baseline
from boxproof.report.exhibit import source
from tests.requirements.results import FILE, Outcome, Release, read

KNOWN: Final = Path(__file__).parents[2] / "conformance" / "known"
_NONE: Final = "none:"
"""How a baseline's reference begins where there is no public report."""
_ABOUT: Final = """\
Cases on the host, of the profile that was run. A dash stands for what was not judged, as not applicable or not of that
profile, and for what is not published.
"""


@cache
def releases() -> tuple[Release, ...]:
    """All releases that were run."""
    return read(FILE)


@cache
def known(name: str) -> tuple[Known, ...]:
    """What the baseline of a release lists in clear."""
    path = KNOWN / f"{name}.toml"
    listed = load_baseline(path.read_text(encoding="utf-8"), path.name).known if path.is_file() else ()
    return tuple(each for each in listed if each.ids)


def released(requirement: str) -> Iterator[str]:
    """Iterate over the lines of the section; none where nothing was run."""
    if not releases():
        return
    yield from (
        "## Released helpers",
        "",
        _ABOUT,
        "| release | run on | pass | fail | findings |",
        "| --- | --- | --- | --- | --- |",
    )
    for release in releases():
        cells = _cells(release.outcomes.get(requirement))
        yield f"| {' | '.join((release.name, release.date, *cells))} |"
    yield ""
    faults = [line for release in releases() for line in _faults(release.name, requirement)]
    yield from (["What is known of these faults:", "", *faults, ""] if faults else [])


def _cells(outcome: Outcome | None) -> tuple[str, str, str]:
    if outcome is None:
        return "–", "–", "–"  # noqa: RUF001 - a dash in a table
    failed = ", ".join(f"{count} {level}" for level, count in outcome.failed.items())
    return str(outcome.passed), failed or "0", ", ".join(f"`{kind}`" for kind in outcome.kinds)


def _faults(name: str, requirement: str) -> Iterator[str]:
    for each in known(name):
        own = [pattern for pattern in each.ids if pattern.requirement == requirement]
        if own:
            told = source(each.reference)
            link = f"[{told.text}]({told.address})" if told.address else told.text
            public = f" ({link})" if each.reference and not each.reference.startswith(_NONE) else ""
            yield f"* {name}: {', '.join(f'`{pattern.case}`' for pattern in own)}: {each.reason}{public}."
