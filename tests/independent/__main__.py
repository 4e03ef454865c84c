# SPDX-License-Identifier: MIT
"""The comparison's command line: many cases, and a table of what was compared."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from tests.independent.compare import Tally
from tests.independent.spread import compare_drawn


def main() -> int:
    """Compare as many cases as the command line asks for; 1 where the oracles differ."""
    options = _parser().parse_args()
    begun, total = time.monotonic(), Tally()
    try:
        for part in compare_drawn(options.cases, options.seed, options.processes):
            total.add(part)
            _say(f"{total.cases} cases, {total.count} differences, {time.monotonic() - begun:.0f} s")
    except OSError as error:
        sys.stderr.write(f"independence: this host gives no mount namespace: {error}\n")
        return 1
    for line in (*_table(total), *total.differences):
        _say(line)
    return 1 if total.count or total.cases < options.cases else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.independent", description=__doc__)
    add = parser.add_argument
    add("--cases", type=int, default=50_000, metavar="N", help="drawn cases, about as many of each source (50000)")
    add("--seed", type=int, default=0, metavar="N", help="what they are drawn from (0)")
    add("--processes", type=int, default=2, metavar="N", help="how many compare at a time (2)")
    return parser


def _table(total: Tally) -> Iterator[str]:
    yield f"probes: {total.answers.total()}"
    yield from (f"{count:>10} {kind} in the model" for kind, count in total.answers.most_common())
    yield "open because of (a probe may have several):"
    yield from (f"{count:>10} {reason}" for reason, count in total.reasons.most_common())


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
