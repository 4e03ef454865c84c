# SPDX-License-Identifier: MIT
"""The benchmark's command line, and what it prints."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from boxproof.errors import BoxproofError
from boxproof.helpers.registry import find
from boxproof.surface.profiles import register_profiles
from tests.bench import suite
from tests.bench.ratio import Ratio, measure
from tests.bench.subject import subject
from tests.vendors.fetch import CACHE
from tests.vendors.pins import FetchError, read_list

_HEAD: Final = (
    "helper                   cases   draw  total launch   bare ratio    busy   bare ratio  answered  cases/s"
)


def main() -> int:
    """Measure what the command line asks for, and print it as it comes."""
    options = _parser().parse_args()
    register_profiles()
    _say(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; milliseconds a case, medians")
    _say(_HEAD)
    try:
        paces: dict[str, float] = {}
        for given, env in map(_helper, options.helper or _known()):
            with subject(given, env, options.farm_root) as each:
                ratio = measure(each, options.examples)
            paces[given] = ratio.paces[1]
            _say(_row(ratio))
            _say(f"{'':24} {_pace(ratio)}")
        for line in _runs(options, paces):
            _say(line)
    except BoxproofError as error:
        sys.stderr.write(f"bench: {error}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    add = parser.add_argument
    add("--helper", action="append", metavar="PATH|NAME[,K=V]", help="one helper, with its variables; repeatable")
    add("--examples", type=int, default=20, metavar="N", help="generated cases of each source (20)")
    add("--farm-root", default="", metavar="DIR", help="where farms are built")
    add("--workers", type=int, default=0, metavar="N", help="compare two workers with one over N examples each")
    add("--required", action="store_true", help="time the profile 'required' under each helper")
    return parser


def _known() -> Iterator[str]:
    """Iterate over the helpers at hand: bwrap, the reference, and what ``tests/vendors/fetch.py`` has fetched."""
    yield from ("bwrap", "reference")
    try:
        vendors = read_list()
    except FetchError:
        return
    newest = {vendor.name: vendor for vendor in vendors}
    yield from (str(path) for each in newest.values() if (path := CACHE / each.key / each.binary).is_file())


def _helper(given: str) -> tuple[str, Mapping[str, str]]:
    path, *variables = given.split(",")
    return path, dict(variable.split("=", 1) for variable in variables)


def _row(ratio: Ratio) -> str:
    taken = [f"{1000 * value:6.2f}" for value in (ratio.draw, ratio.total, ratio.launch, ratio.bare)]
    busy = [f"{1000 * value:6.2f}" for value in (ratio.draw + ratio.busy, ratio.bare_busy)]
    times = f"{' '.join(taken)} {ratio.ratio:5.2f}  {' '.join(busy)} {ratio.busy_ratio:5.2f}"
    return f"{ratio.helper:24} {ratio.cases:5} {times}  {ratio.answered:8.2f}  {1 / (ratio.draw + ratio.total):7.1f}"


def _pace(ratio: Ratio) -> str:
    one, two = ratio.paces
    return f"two bare loops {two / one:.2f} times one ({one:.0f} and {two:.0f} launches/s)"


def _runs(options: argparse.Namespace, paces: Mapping[str, float]) -> Iterator[str]:
    collected = suite.collection()
    of_processor = f"{collected.seconds:.1f} s ({collected.busy:.1f} s of a processor)"
    yield f"collection of {suite.CASES} cases: {of_processor}, peak {collected.peak:.0f} MiB"
    for given in options.helper or _known():
        path, env = _helper(given)
        find(path, None, env, ask=False)
        words = (f"--helper={path}", *(f"--helper-env={name}={value}" for name, value in env.items()))
        words += (f"--farm-root={options.farm_root}",) if options.farm_root else ()
        if options.workers:
            yield from _speed_up(Path(path).name, *suite.workers(words, options.workers))
        if options.required:
            ran = suite.required(words)
            bare = f"{ran.launches} launches, {ran.launches / paces[given]:.1f} s of two bare loops"
            yield f"{Path(path).name}: profile required in {ran.seconds:.1f} s ({bare}), peak {ran.peak:.0f} MiB"


def _speed_up(name: str, ones: list[suite.Ran], twos: list[suite.Ran]) -> Iterator[str]:
    for one, two in zip(ones, twos, strict=True):
        times = f"two workers {one.seconds / two.seconds:.2f} times one ({one.seconds:.1f} s and {two.seconds:.1f} s)"
        in_use = f"processors in use {one.busy / one.seconds:.2f} and {two.busy / two.seconds:.2f}"
        yield f"{name}: {times}, {two.launches / two.seconds:.1f} launches/s, {in_use}"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
