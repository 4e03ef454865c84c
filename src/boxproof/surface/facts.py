# SPDX-License-Identifier: MIT
"""The head of a report: the run, the host, and the helpers."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import pytest

import boxproof
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.container.inside import is_own
from boxproof.grounds.container.place import ContainerPlace
from boxproof.grounds.facts import host_facts
from boxproof.grounds.ground import PATH
from boxproof.grounds.host import farm_root
from boxproof.grounds.place import Place
from boxproof.helpers.registry import is_bundled
from boxproof.model.host import Host
from boxproof.model.suite import STRATEGIES
from boxproof.report.json import GroundRow, HelperRow, Run
from boxproof.surface.engine import Engine, Subject
from boxproof.surface.options import SECRET, Options

_CHUNK: Final = 1 << 20


def run_of(options: Options, started: datetime, seconds: float, *, met: bool, unmet: tuple[str, ...] = ()) -> Run:
    """Return what a report says of the run itself."""
    return Run(
        suite=boxproof.__version__,
        started=started.isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        profile=options.profile.name,
        met=met,
        python=platform.python_version(),
        pytest=pytest.__version__,
        options={
            "strict": options.strict,
            "run_as": "root" if options.as_root else "user",
            "repeat": options.repeat,
            "launch_timeout": options.timeout,
            "examples": options.examples,
            "seed": options.seed,
            "ground": list(options.grounds),
            "strategies": STRATEGIES,
            "baseline": options.baseline.name if options.baseline else "",
            "helper_env": {name: "***" if SECRET.search(name) else value for name, value in options.env.items()},
        },
        unmet=unmet,
    )


def ask_host(engine: Engine) -> Host:
    """Ask this host, in a folder for farms of its own."""
    options = engine.options
    user = launch_user("root" if options.as_root else "user")
    with farm_root(user, str(options.farm_root or "")) as root:
        return host_facts(user, PATH, root)


def ground_rows(engine: Engine, places: Sequence[Place]) -> tuple[GroundRow, ...]:
    """Return what a report says of places that cases are run in."""
    options = engine.options
    user, chosen = launch_user("root" if options.as_root else "user"), str(options.farm_root or "")
    return tuple(GroundRow(place.name, place.given, place.evidence, place.about(user, chosen)) for place in places)


def helper_rows(engine: Engine) -> tuple[HelperRow, ...]:
    """Return what a report says of each helper under test."""
    return tuple(
        HelperRow(
            name=subject.helper.name,
            path=subject.helper.path,
            sha256=digest(subject),
            version=subject.helper.version,
            adapter=subject.adapter.name,
            capabilities=tuple(sorted(subject.adapter.claims(subject.helper))),
        )
        for subject in engine.helpers
    )


def digest(subject: Subject) -> str:
    """Return the SHA-256 of the helper's file, in hexadecimal; of the image's own where that is what is run."""
    if isinstance(subject.place, ContainerPlace) and is_own(subject.helper.path) and not is_bundled(subject.given):
        return subject.place.digest(subject.helper.path)
    found = hashlib.sha256()
    with open(subject.helper.path, "rb") as file:
        while chunk := file.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()
