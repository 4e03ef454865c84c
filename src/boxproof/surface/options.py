# SPDX-License-Identifier: MIT
"""The command line options, their defaults, and one frozen value for all of them."""

from __future__ import annotations

import argparse
import math
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import pytest
from attrs import frozen

from boxproof.errors import BoxproofError, nearest
from boxproof.model.levels import PROFILES, Profile
from boxproof.model.names import escape
from boxproof.report.faces import SUFFIXES
from boxproof.surface.profiles import DRAWINGS, GATE, profile_of

RUN_AS: Final = ("user", "root")
RANDOM: Final = "random"
"""The word for a new seed in each run, as a nightly run wants it; the header says which one it is."""
SECRET: Final = re.compile(r"KEY|TOKEN|SECRET|PASS", re.IGNORECASE)
"""Names of variables whose values stay out of reports."""
EXAMPLES: Final = "50"
"""Generated cases where the user has not said how many."""
_SHARD: Final = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")
_SEEDS: Final = 1 << 31


@frozen
class Options:
    """What the user asked for.

    Args:
        helpers: paths or names, in order.
        adapter: adapter name or TOML file, or ``""`` for the one that fits.
        env: extra environment of the helper.
        profile: which levels are judged.
        strict: whether a SHOULD that fails fails the run.
        as_root: whether launches keep root.
        cases: recorded cases that are run instead of the suite's.
        repeat: launches of each case.
        timeout: seconds for one launch, 0 for the helper's own measure.
        reports: files to write.
        cases_out: where failing cases are written.
        farm_root: where farms are built, or ``None`` for a place that is found.
        grounds: where cases are run, in order; empty for the default.
        examples: generated cases for each requirement and intent; 0 for none.
        fewer: whether a slow helper gets a fifth of them, since the user has not said how many.
        seed: which cases are generated.
        drawing: the Hypothesis profile that examples and seed come from where they are not given.
        stats: whether the classes of generated cases are counted.
        baseline: the file that lists known failures, or ``None``.
        shard: which part of the cases is run, and of how many parts; ``(1, 1)`` for all.
    """

    helpers: tuple[str, ...]
    adapter: str
    env: Mapping[str, str]
    profile: Profile
    strict: bool
    as_root: bool
    cases: tuple[Path, ...]
    repeat: int
    timeout: float
    reports: tuple[Path, ...]
    cases_out: Path
    farm_root: Path | None
    grounds: tuple[str, ...] = ()
    examples: int = 0
    fewer: bool = False
    seed: int = 0
    drawing: str = GATE
    stats: bool = False
    baseline: Path | None = None
    shard: tuple[int, int] = (1, 1)


def add_options(parser: pytest.Parser) -> None:
    """Declare the options of ``docs/reference/options.md``."""
    group = parser.getgroup("boxproof", "sandbox helper conformance")
    add = group.addoption
    add("--helper", action="append", default=[], metavar="PATH|NAME", help="helper under test; repeatable (reference)")
    add(
        "--adapter",
        default="",
        metavar="NAME|FILE.toml",
        help="how to drive it (by the binary's name, then by probing)",
    )
    add("--helper-env", action="append", default=[], metavar="K=V", help="extra environment for the helper; repeatable")
    add("--profile", default="recommended", metavar="|".join(PROFILES), help="MUST / MUST and SHOULD / with RECORD")
    add("--run-as", default="user", metavar="|".join(RUN_AS), help="as root the suite drops to an ordinary uid (user)")
    add(
        "--ground",
        action="append",
        default=[],
        metavar="host|layout:NAME|container:NAME",
        help="where; repeatable (host, and the layouts for the cases about one)",
    )
    add("--case", action="append", default=[], metavar="FILE", help="only this recorded case; repeatable")
    add("--baseline", default="", metavar="FILE", help="known failures, each with a reason: expected as long as listed")
    add("--shard", default="1/1", metavar="K/N", help="run the K-th of N parts of the cases; boxproof merge joins them")
    add("--repeat", default="1", metavar="N", help="launches of each case; a difference is flaky (1)")
    add(
        "--launch-timeout",
        default="0",
        metavar="S",
        help="deadline of one launch (3 x baseline, at least 5)",
    )
    add(
        "--report",
        action="append",
        default=[],
        metavar="FILE",
        help="write a report: .json, .html, .md, .xml; repeatable",
    )
    add("--cases-out", default="boxproof-out", metavar="DIR", help="where failing cases are written (boxproof-out/)")
    add("--farm-root", default="", metavar="DIR", help="where farms are built (found: no temp folder, no .git above)")
    add("--examples", default="", metavar="N", help="generated cases for each requirement and intent; 0: none (50)")
    add("--seed", default="", metavar=f"N|{RANDOM}", help="which cases are generated; the same ones each time (0)")
    add("--boxproof-stats", action="store_true", help="count the classes of the generated cases")


def read_options(config: pytest.Config) -> Options:
    """Check what the user gave and return it as one value.

    Raises:
        BoxproofError: naming the option.
    """
    option = config.option
    drawing = profile_of(option)
    start = Path(config.invocation_params.dir)
    return Options(
        helpers=tuple(option.helper) or ("reference",),
        adapter=option.adapter,
        env=environment(option.helper_env),
        profile=PROFILES[_word("--profile", option.profile, PROFILES)],
        # pytest's own option is the one for strictness, so that one word means one thing
        strict="strict=true" in (option.override_ini or ()),
        as_root=keeps_root(option.run_as),
        cases=tuple(_case(start / name) for name in option.case),
        repeat=int(_number("--repeat", option.repeat, least=1, whole=True)),
        timeout=_number("--launch-timeout", option.launch_timeout, least=0),
        reports=tuple(_report(start / name) for name in option.report),
        cases_out=_folder_to_be("--cases-out", start / option.cases_out),
        farm_root=Path(option.farm_root).absolute() if option.farm_root else None,
        grounds=tuple(option.ground),
        examples=int(_number("--examples", option.examples or DRAWINGS[drawing].examples, least=0, whole=True)),
        fewer=not option.examples,
        seed=_seed(option, DRAWINGS[drawing].seed),
        drawing=drawing,
        stats=option.boxproof_stats,
        baseline=start / option.baseline if option.baseline else None,
        shard=_shard(option.shard),
    )


def _word(option: str, word: str, known: Iterable[str]) -> str:
    if word not in known:
        raise BoxproofError(f"{option}={word} is unknown", cure=nearest(word, known))
    return word


def keeps_root(word: str) -> bool:
    """Read the value of ``--run-as``.

    Raises:
        BoxproofError: for another word, and for root that the caller is not.
    """
    wanted = _word("--run-as", word, RUN_AS) == "root"
    if wanted and os.geteuid() != 0:
        raise BoxproofError("--run-as=root keeps root and cannot become it", cure="start the suite as root")
    return wanted


def _number(option: str, text: str, *, least: float, whole: bool = False) -> float:
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = math.nan
    if not least <= number < math.inf:
        raise BoxproofError(f"{option}={text} makes no sense", cure=f"give a number from {least} up")
    return number


def _seed(option: argparse.Namespace, default: str) -> int:
    option.seed = option.seed or default
    if option.seed == RANDOM:
        # workers of xdist get the options as they are now, and must draw the same cases
        option.seed = str(secrets.randbelow(_SEEDS))
    return int(_number("--seed", option.seed, least=0, whole=True))


def _shard(text: str) -> tuple[int, int]:
    found = _SHARD.fullmatch(text)
    number, of = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= of:
        raise BoxproofError(f"--shard={text} makes no sense", cure="write --shard=2/5 for the second of five parts")
    return number, of


def environment(pairs: list[str]) -> dict[str, str]:
    """Read the values of ``--helper-env``.

    Raises:
        BoxproofError: for one that sets no variable.
    """
    wrong = [pair for pair in pairs if not pair.partition("=")[0] or "=" not in pair or "\0" in pair]
    if wrong:
        raise BoxproofError(f"--helper-env={escape(wrong[0])} sets no variable", cure="write --helper-env=NAME=VALUE")
    return dict(pair.split("=", 1) for pair in pairs)


def _case(path: Path) -> Path:
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        raise BoxproofError(f"--case: '{path}' {what}", cure="give the path of a case file")
    if "[" in str(path) or "::" in str(path):
        raise BoxproofError(f"--case: '{path}' holds '[' or '::'", cause="pytest would misread it", cure="rename it")
    return path.resolve()


def _report(path: Path) -> Path:
    if path.suffix not in SUFFIXES:
        raise BoxproofError(f"--report: '{path.name}' has no known suffix", cure=f"end it in {', '.join(SUFFIXES)}")
    if not path.parent.is_dir():
        raise BoxproofError(f"--report: the folder '{path.parent}' is not there", cure="make it first")
    if path.is_dir():
        raise BoxproofError(f"--report: '{path}' is a folder", cure="name a file")
    return path


def _folder_to_be(option: str, path: Path) -> Path:
    there = next(above for above in (path, *path.parents) if above.exists())
    if not there.is_dir():
        raise BoxproofError(f"{option}: '{there}' is no folder", cure="name another place")
    return path


OPTIONS: Final = pytest.StashKey[Options]()
