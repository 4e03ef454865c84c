# SPDX-License-Identifier: MIT
"""The bugs of a baseline in one generated item: still there, gone, and what they explain of the examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from boxproof.model.baseline import Known
from boxproof.model.case import Case
from boxproof.model.outcome import Verdict
from boxproof.model.suite import GeneratedSource
from boxproof.reducing.believe import FIRST
from boxproof.reducing.explain import Pattern
from boxproof.runner import Run
from boxproof.surface.baseline import Listing
from boxproof.surface.bugs import Found, KnownBug, Runs
from boxproof.surface.engine import safely

_FAILED = frozenset({Verdict.FAIL, Verdict.FLAKY})


@frozen
class Checked:
    """One entry of the baseline with a smallest case.

    Args:
        known: the entry.
        run: of its case, where this item is one of those that it lists.
    """

    known: Known
    run: Run | None = None

    @property
    def verdict(self) -> Verdict | None:
        """What became of its case, ``None`` where it was not run."""
        return self.run.judgement.verdict if self.run else None

    @property
    def gone(self) -> bool:
        """Whether the bug should be there and is not."""
        return self.verdict is Verdict.PASS and not self.known.flaky

    @property
    def failed(self) -> bool:
        """Whether its case fails."""
        return self.verdict in _FAILED


@frozen
class KnownBugs:
    """All entries that have a say in one item.

    Args:
        listing: the baseline.
        checked: the entries.
    """

    listing: Listing
    checked: tuple[Checked, ...] = ()

    @property
    def failing(self) -> Iterator[tuple[Case, Run]]:
        """Iterate over the known cases that fail, which may show more than is listed."""
        for each in self.checked:
            if each.run is not None and each.failed:
                yield each.run.case, each.run

    @property
    def troubles(self) -> tuple[Run, ...]:
        """The runs that say nothing because the suite could not do its work."""
        return tuple(each.run for each in self.checked if each.run is not None and each.verdict is Verdict.ERROR)

    @property
    def there(self) -> tuple[Checked, ...]:
        """The entries that may explain an example: what is gone explains nothing."""
        return tuple(each for each in self.checked if not each.gone)

    @property
    def patterns(self) -> tuple[KnownBug, ...]:
        """What `there` explains, in order."""
        return tuple(
            KnownBug(Pattern(each.known.case, FIRST if each.known.flaky else 1), each.known.kinds)
            for each in self.there
            if each.known.case is not None
        )

    @property
    def gone(self) -> tuple[Known, ...]:
        """The entries whose bug is not there any more."""
        return tuple(each.known for each in self.checked if each.gone)

    def told(self, found: Found) -> tuple[tuple[Checked, int], ...]:
        """Return the entries that excuse something, each with how many cases, its own among them."""
        counts = zip(self.there, found.explained, strict=True) if found.explained else ()
        return tuple((each, count) for each, count in counts if count)


def check_known_bugs(listing: Listing, source: GeneratedSource, ground: str, runner: Runs) -> KnownBugs:
    """Run the cases of the entries that list this item, and return those entries and all others with a case.

    An entry explains examples of every generated item, since its repair is tried each time; whether its bug is still
    there is asked where it was found.
    """
    checked = [
        Checked(known, _run(known, number, source, runner) if _at_home(known, source, ground) else None)
        for number, known in enumerate(listing.current)
        if known.case is not None
    ]
    return KnownBugs(listing, tuple(checked))


def _at_home(known: Known, source: GeneratedSource, ground: str) -> bool:
    return known.about(source.requirement, source.id, ground)


def _run(known: Known, number: int, source: GeneratedSource, runner: Runs) -> Run | None:
    if known.case is None:
        return None
    name = f"{source.id}-known-{number}"
    case = evolve(known.case, id=name, requirement=source.requirement, level=source.level)
    tries: Sequence[int] = range(FIRST if known.flaky else 1)
    runs = (safely(lambda: runner.run(case), case) for _ in tries)
    last: Run | None = None
    for run in runs:
        last = evolve(run, case=case)
        if last.judgement.verdict in _FAILED:
            break
    return last
