# SPDX-License-Identifier: MIT
"""Which adapter drives a helper: the one that is asked for, else by the binary's name, else by asking the binary."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import boxproof
from boxproof.errors import HelperError, nearest
from boxproof.helpers.ask import NoAnswerError
from boxproof.helpers.base import Adapter, Helper
from boxproof.helpers.bwrap import Bwrap
from boxproof.helpers.codex import Codex
from boxproof.helpers.cursorsandbox import CursorSandbox
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
)
KNOWN_BAD: Final = "known-bad:"
_MAGIC_BYTES: Final = 4


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
        return Reference(), Helper(given.replace(":", "-"), str(ours), _version(), env=env)
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


def _ours(given: str) -> Path | None:
    """Return the source of a helper of this package, or ``None``."""
    package = Path(boxproof.__file__).parent
    if given == "reference":
        return package / "reference" / "__main__.py"
    if not given.startswith(KNOWN_BAD):
        return None
    name = given.removeprefix(KNOWN_BAD)
    sources = {path.stem.replace("_", "-"): path for path in (package / "known_bad").glob("[a-z]*.py")}
    if name not in sources:
        raise HelperError(f"there is no known-bad helper '{name}'", cure=nearest(name, sorted(sources)))
    return sources[name]


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


def _version() -> str:
    try:
        return version("boxproof")
    except PackageNotFoundError:
        return ""  # a checkout that is not installed


def _names() -> str:
    return ", ".join(known.name for known in adapters())
