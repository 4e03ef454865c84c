# SPDX-License-Identifier: MIT
"""A helper that an image has of its own: which version and surface it has, only a container can say."""

from __future__ import annotations

import os
import shlex
import tempfile
from pathlib import Path
from typing import Final

from attrs import evolve

from boxproof.errors import GroundError
from boxproof.grounds.container.engine import QUIRKS, Engine, Image
from boxproof.helpers.base import Adapter, Helper

_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
"""What a container has of its own; of these ``/usr/local`` alone is this host's too."""
_MODE: Final = 0o755


def is_own(path: str) -> bool:
    """Tell whether a helper is the image's own, by where it lies."""
    real = os.path.realpath(path)
    below = any(real == folder or real.startswith(f"{folder}/") for folder in _SYSTEM)
    return below and not real.startswith("/usr/local/")


def describe_inside(engine: Engine, image: Image, adapter: Adapter, helper: Helper) -> Helper:
    """Return the image's own helper of that path, as its adapter describes it.

    The adapter is given a script that starts each question in a container.

    Raises:
        BoxproofError: where no container starts, or the image has no such helper.
    """
    words = [*_run(engine, image), *_env(helper), f"--entrypoint={helper.path}", image.reference]
    with tempfile.TemporaryDirectory(prefix="boxproof-ask-") as folder:
        script = Path(folder, os.path.basename(helper.path))
        home = shlex.quote(os.path.expanduser("~"))
        script.write_text(f'#!/bin/sh\nHOME={home} exec {shlex.join(words)} "$@"\n', encoding="utf-8")
        script.chmod(_MODE)
        return evolve(adapter.describe(script, helper.env), path=helper.path)


def digest_inside(engine: Engine, image: Image, path: str) -> str:
    """Return the SHA-256 of one of the image's files, in hexadecimal, or ``unknown``.

    Raises:
        GroundError: where no container starts.
    """
    _, *words = _run(engine, image)
    done = engine.ask(*words, "--entrypoint=sha256sum", image.reference, path)
    return done.stdout.partition(" ")[0] or "unknown"


def _run(engine: Engine, image: Image) -> tuple[str, ...]:
    """Return the command that runs something in a container, with what this host needs for that."""
    failed = ""
    for quirks in QUIRKS[engine.name]:
        words = ("run", "--rm", "--network=none", "--pull=never", "--log-driver=none", *quirks)
        done = engine.ask(*words, "--entrypoint=true", image.reference)
        if done.returncode == 0:
            return (engine.program, *words)
        failed = done.stderr
    raise GroundError(f"{engine.name} starts no container of '{image.reference}'", cause=" ".join(failed.split()))


def _env(helper: Helper) -> tuple[str, ...]:
    return tuple(f"--env={name}={value}" for name, value in helper.env.items())
