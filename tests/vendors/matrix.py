# SPDX-License-Identifier: MIT
"""Runs the required profile on every pinned release, and holds each against what is known of it.

``python -m tests.vendors.matrix [--cache FOLDER] [--out FOLDER] [--jobs N] [NAME | NAME-VERSION ...]``

Prints one matrix and writes the merged report as JSON, HTML and Markdown. Exit status 1 where a fault is new, a known
one is gone, the suite was in trouble, or a release could not be run; what was not run is named and never counts as
passed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from pathlib import Path
from typing import Final

from attrs import evolve

from boxproof.errors import BoxproofError
from boxproof.model.outcome import Verdict
from boxproof.report.faces import write_face
from boxproof.report.failure import PRIVATE
from boxproof.report.json import Report
from boxproof.report.matrix import counts, gist, is_security
from boxproof.report.merge import merge
from boxproof.surface.setup import read_contract
from tests.vendors.columns import Column, NotRun, columns, on_path, run
from tests.vendors.fetch import CACHE
from tests.vendors.grid import grid
from tests.vendors.pins import ROOT, FetchError, choose, read_list

OUT: Final = ROOT / ".cache" / "matrix"
_APART: Final = frozenset({"baseline", "helper_env"})
"""Options in which runs of different helpers differ."""
NEWS: Final = frozenset({Verdict.FLAKY, Verdict.FAIL, Verdict.UNEXPECTED_PASS, Verdict.ERROR})
"""Verdicts that no baseline accounts for."""


def named(report: Report, name: str) -> Report:
    """Return the report of one column under the column's name, fit to be merged with those of others."""
    options = {key: value for key, value in report.run.options.items() if key not in _APART}
    return evolve(
        report,
        run=evolve(report.run, options=options),
        helpers=tuple(evolve(row, name=name) for row in report.helpers),
        results=tuple(evolve(result, helper=name) for result in report.results),
    )


def told(reports: Sequence[Report], missing: Sequence[NotRun], order: Sequence[str]) -> Iterator[str]:
    """Iterate over the lines of the matrix: the grid, each column's counts, and what is new."""
    yield from grid([result for report in reports for result in report.results], order)
    yield ""
    for number, report in enumerate(reports, start=1):
        (row,) = report.helpers
        yield f"{number:>3} {row.name} (version {row.version or 'unknown'}): {counts(report.results)}"
        yield from (f"      {note}" for note in report.run.notes)
    yield from (f"  - {each.name}: not run: {each.reason}" for each in missing)
    news = [result for report in reports for result in report.results if result.verdict in NEWS]
    for result in news:
        yield f"{result.verdict.value}: {result.helper}: {result.id}: {gist(result)}"
    if any(map(is_security, news)):
        yield PRIVATE
    yield f"{len(reports)} run, {len(missing)} not run, {len(news)} not as known"


def _write(reports: Sequence[Report], out: Path) -> None:
    contract = read_contract()
    whole = merge(reports, [report.helpers[0].name for report in reports], contract)
    for suffix in ("json", "html", "md"):
        path = out / f"vendors.{suffix}"
        write_face(whole, contract, str(path))
        sys.stdout.write(f"{path}\n")


def matrix(names: Sequence[str], cache: Path, out: Path, jobs: int) -> bool:
    """Run, print and write; return whether every release is as known."""
    out.mkdir(parents=True, exist_ok=True)
    wanted = [*columns(choose(read_list(), names), cache), *on_path(names)]
    chosen = [each for each in wanted if isinstance(each, Column)]
    with ThreadPoolExecutor(jobs) as pool:
        done = sorted(pool.map(lambda column: (column.name, run(column, out)), chosen), key=itemgetter(0))
    missing = [each for each in wanted if isinstance(each, NotRun)]
    missing += [each for _, each in done if isinstance(each, NotRun)]
    reports = [named(each, name) for name, each in done if isinstance(each, Report)]
    if reports:
        _write(reports, out)
    sys.stdout.write("\n".join(told(reports, missing, tuple(read_contract()))) + "\n")
    news = any(result.verdict in NEWS for report in reports for result in report.results)
    return bool(reports) and not missing and not news


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description="Hold pinned releases of sandbox helpers against what is known.")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER")
    # more than there are processors, since each run now and then waits for a deadline, or for the kernel
    jobs = (os.cpu_count() or 1) + 2
    parser.add_argument("--jobs", type=int, default=jobs, metavar="N", help=f"runs at a time ({jobs})")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    try:
        fine = matrix(options.names, options.cache.absolute(), options.out.absolute(), options.jobs)
    except (FetchError, BoxproofError, OSError) as error:
        sys.stderr.write(f"matrix: {error}\n")
        return 1
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
