# SPDX-License-Identifier: MIT
"""The soak's command line, and the table that it prints."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor

from tests.soak.faults import faults
from tests.soak.run import Sample, soak


def main() -> int:
    """Launch until a bound is reached; 1 where something has grown."""
    options = _parser().parse_args()
    parts = range(options.processes)
    share = -(-options.launches // options.processes)
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(options.processes, context) as pool:
        asked = [pool.submit(_part, number, options.processes, share, options.seconds) for number in parts]
        found = [future.result() for future in asked]
    for number, samples in enumerate(found, start=1):
        _say("\n".join(_table(number, samples)))
    return 1 if any(map(faults, found)) else 0


def _part(number: int, of: int, launches: int, seconds: float) -> list[Sample]:
    samples = []
    for sample in soak(number, of, launches, seconds):
        samples.append(sample)
        _say(f"# process {number + 1}: {sample.launches} launches, {sample.seconds:.0f} s, {sample.usage}")
    return samples


def _table(number: int, samples: Sequence[Sample]) -> Iterator[str]:
    shown = [samples[0], samples[len(samples) // 2], samples[-1]]
    yield f"process {number}, {len(samples)} rounds"
    yield f"{'launches':12}" + "".join(f"{sample.launches:>10}" for sample in shown)
    yield f"{'seconds':12}" + "".join(f"{sample.seconds:>10.0f}" for sample in shown)
    for name in shown[0].usage.rows():
        yield f"{name:12}" + "".join(f"{sample.usage.rows()[name]:>10}" for sample in shown)
    for helper, counts in sorted(samples[-1].verdicts.items()):
        yield f"{helper:12}" + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    yield "\n".join(faults(samples)) or "flat, and the same verdicts in each round"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    add = parser.add_argument
    add("--launches", type=int, default=200_000, metavar="N", help="no more launches than these (200000)")
    add("--seconds", type=float, default=7200, metavar="S", help="no longer than this (7200)")
    add("--processes", type=int, default=2, metavar="N", help="how many launch at a time (2)")
    return parser


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
