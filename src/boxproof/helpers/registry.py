# SPDX-License-Identifier: MIT
"""Which adapter drives a helper: the one that is asked for, else by the binary's name, else by asking the binary."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import boxproof
from boxproof.errors import HelperError, nearest
from boxproof.helpers.ask import NoAnswerError
from boxproof.helpers.base import Adapter, Helper
from boxproof.helpers.bwrap import Bwrap
from boxproof.helpers.codex import Codex
from boxproof.helpers.cursorsandbox import CursorSandbox
from boxproof.helpers.gemini import Gemini
from boxproof.helpers.mxc import Mxc
from boxproof.helpers.nsjail import Nsjail
from boxproof.helpers.reference import Reference
from boxproof.helpers.sandlock import Sandlock
from boxproof.helpers.srt import Srt
from boxproof.helpers.templatefile import load, own

ADAPTERS: Final[tuple[Adapter, ...]] = (
    Reference(),
    Bwrap(),
    Codex(),
    CursorSandbox(),
    Mxc(),
    Srt(),
    Nsjail(),
    Sandlock(),
    Gemini(),
)
REFERENCE: Final = "reference"
"""The name under which ``--helper`` takes the bundled helper that meets the contract."""
KNOWN_BAD: Final = "known-bad:"
"""What comes before the name of a bundled helper that does not."""
_ANSWER_SECONDS: Final = 60
_MAGIC_BYTES: Final = 4
_MODULE: Final = ".js"
"""What an adapter may give to node, whatever its first line says."""


def adapters() -> tuple[Adapter, ...]:
    """Return all that this package has: those in Python, then those described by a TOML file."""
    return (*ADAPTERS, *own())


def find(given: str, adapter: str | None, env: Mapping[str, str], *, ask: bool = True) -> tuple[Adapter, Helper]:
    """Return how to drive the helper `given`, and what it says of itself.

    Args:
        given: a path, a name on PATH, ``reference`` or ``known-bad:NAME``; the paths of the last two are those of their
            source, which a ground makes into something that can be executed.
        adapter: an adapter's name or a TOML file; ``None`` to choose.
        env: extra environment of the helper.
        ask: whether the binary may be started; without, nothing but its path is known.

    Raises:
        HelperError: where the helper or the adapter is not there or cannot be used, or no adapter fits.
    """
    ours = _ours(given)
    if ours and not adapter:
        return Reference(), Helper(given.replace(":", "-"), str(ours), boxproof.__version__, env=env)
    chosen = _adapter(adapter) if adapter else None
    binary = _binary(given)
    candidates = (known for known in adapters() if known.recognises(binary) or known.recognises(binary.resolve()))
    known = chosen or next(candidates, None)
    if not ask:
        return known or ADAPTERS[0], Helper(binary.name, str(binary), env=env)
    return (known, known.describe(binary, env)) if known else _probe(binary, env)


def _probe(binary: Path, env: Mapping[str, str]) -> tuple[Adapter, Helper]:
    """Return the first adapter that the binary answers; one that needs no answer is no candidate."""
    for known in ADAPTERS[1:]:
        try:
            return known, known.describe(binary, env)
        except NoAnswerError:
            raise
        except HelperError:
            continue
    raise HelperError(f"no adapter fits '{binary}'", cure=f"name one with --adapter: {_names()}, or a TOML file")


def _adapter(adapter: str) -> Adapter:
    if adapter.endswith(".toml") or "/" in adapter:
        return load(Path(adapter))
    for known in adapters():
        if known.name == adapter:
            return known
    raise HelperError(f"there is no adapter '{adapter}'", cure=nearest(adapter, [known.name for known in adapters()]))


def is_bundled(given: str) -> bool:
    """Tell whether ``--helper`` names a helper of this package."""
    return given == REFERENCE or given.startswith(KNOWN_BAD)


def known_bad_helpers() -> str:
    """Return the known-bad helpers, one a line: name, requirement, what it does wrong."""
    # asked of the package itself, since nothing here may import what the suite is tested with
    command = [sys.executable, "-I", str(Path(boxproof.__file__).parent / "known_bad"), "--list"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=_ANSWER_SECONDS).stdout


def _ours(given: str) -> Path | None:
    """Return the program of a helper of this package, or ``None``."""
    if not is_bundled(given):
        return None
    package = Path(boxproof.__file__).parent
    if given == REFERENCE:
        return package / "reference" / "__main__.py"
    name = given.removeprefix(KNOWN_BAD)
    names = [line.split()[0] for line in known_bad_helpers().splitlines()]
    if name not in names:
        raise HelperError(
            f"there is no known-bad helper '{name}'",
            cure=nearest(name, names, otherwise="`boxproof list known-bad` shows them"),
        )
    return package / "known_bad" / "__main__.py"


def _binary(given: str) -> Path:
    """Return the absolute path of something that can be executed, its links as given.

    Raises:
        HelperError: for everything else.
    """
    found = given if "/" in given else shutil.which(given)
    if not found:
        raise HelperError(f"the helper '{given}' is not on PATH", cure="give a path, or install it")
    path = Path(os.path.abspath(found))
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise HelperError(f"the helper '{given}' cannot be found", cause=os.strerror(error.errno or 0)) from error
    if stat.S_ISDIR(mode):
        raise HelperError(f"the helper '{given}' is a folder", cure="give the path of the binary in it")
    if not stat.S_ISREG(mode) or not os.access(path, os.X_OK):
        raise HelperError(f"the helper '{given}' is not executable", cure=f"chmod +x {given}, or give another file")
    if path.suffix != _MODULE:
        _check_format(path, given)
    return path


def _check_format(path: Path, given: str) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(_MAGIC_BYTES)
    except OSError:
        return  # a binary may be executable and not readable
    if magic != b"\x7fELF" and not magic.startswith(b"#!"):
        raise HelperError(
            f"the helper '{given}' cannot be executed", cause="it is no ELF file and a script without a '#!' line"
        )


def _names() -> str:
    return ", ".join(known.name for known in adapters())
