# SPDX-License-Identifier: MIT
"""The command line of the mutation tests, and what it prints: every survivor, and a row for each module."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from attrs import Factory, define

from tests.mutation.mutants import Mutant, Site, sites
from tests.mutation.subjects import SUBJECTS, Subject
from tests.mutation.survivors import Survivor, argued
from tests.mutation.trial import trials

ENOUGH: Final = 0.95
"""Of the mutants that are not argued to be the same program, so many must be noticed."""
EVERY: Final = 50
Fate: TypeAlias = Literal["noticed", "argued", "survives"]
FATES: Final[tuple[Fate, ...]] = get_args(Fate)


def main() -> int:
    """Try the mutants that the command line asks for; 1 where too few are noticed."""
    options = _parser().parse_args()
    found = [*_sites(options.module or [], Path.cwd())]
    if options.sample:
        found = random.Random(options.seed).sample(found, min(options.sample, len(found)))  # noqa: S311 - no secret
    broken = [mutant.module for mutant, failed in trials(_untouched(found), options.processes) if failed]
    if broken:
        sys.stderr.write(f"mutation: the tests of {', '.join(broken)} fail without any change\n")
        return 1
    known, tally = argued(), Tally()
    for mutant, failed in trials(_mutants(found), options.processes):
        why = known.get(Survivor(mutant.module, mutant.was, mutant.now), "")
        tally.count(mutant, "noticed" if failed else "argued" if why else "survives")
        if not failed:
            _say(f"{'argued  ' if why else 'survives'} {mutant}")
        if not tally.found.total() % EVERY:
            _say(f"# {tally.found.total()} of at most {len(found)}")
    for line in tally.table():
        _say(line)
    return 0 if tally.enough else 1


@define
class Tally:
    """How many mutants of each module were noticed, and how many were not."""

    found: Counter[tuple[str, Fate]] = Factory(Counter)

    def count(self, mutant: Mutant, fate: Fate) -> None:
        """Count a mutant."""
        self.found[mutant.module, fate] += 1

    @property
    def enough(self) -> bool:
        """Whether enough of those that are not argued were noticed."""
        return self.share >= ENOUGH

    @property
    def share(self) -> float:
        """Return how many of those that are not argued were noticed, between 0 and 1."""
        return self._all("noticed") / max(1, self._all("noticed") + self._all("survives"))

    def table(self) -> Iterator[str]:
        """Iterate over the lines of a table."""
        yield f"{'module':26} {' '.join(f'{fate:>8}' for fate in FATES)}"
        for module in dict.fromkeys(module for module, _ in self.found):
            yield f"{module:26} {' '.join(f'{self.found[module, fate]:8}' for fate in FATES)}"
        yield f"{'all':26} {' '.join(f'{self._all(fate):8}' for fate in FATES)}   {self.share:.1%} noticed"

    def _all(self, wanted: Fate) -> int:
        return sum(count for (_, fate), count in self.found.items() if fate == wanted)


def _sites(wanted: Sequence[str], root: Path) -> Iterator[tuple[Site, Subject]]:
    for subject in SUBJECTS:
        if not wanted or any(subject.module.endswith(name) for name in wanted):
            yield from ((site, subject) for site in sites(subject.module, root / subject.path))


def _untouched(found: Sequence[tuple[Site, Subject]]) -> Iterator[tuple[Mutant, Sequence[str]]]:
    """Iterate over each module as it is: where its tests fail anyhow, they notice nothing."""
    for path, subject in {site.path: subject for site, subject in found}.items():
        yield Mutant(subject.module, "", path.read_text("utf-8"), "", ""), subject.tests


def _mutants(found: Sequence[tuple[Site, Subject]]) -> Iterator[tuple[Mutant, Sequence[str]]]:
    for site, subject in found:
        mutant = site.mutant()
        if mutant is not None:
            yield mutant, subject.tests


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    add = parser.add_argument
    add("--module", action="append", metavar="NAME", help="only modules whose name ends so; repeatable")
    add("--sample", type=int, default=0, metavar="N", help="only so many mutants, drawn from all (0: all)")
    add("--seed", type=int, default=0, metavar="N", help="what the sample is drawn from (0)")
    add("--processes", type=int, default=2, metavar="N", help="how many are tried at a time (2)")
    return parser


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
