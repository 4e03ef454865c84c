# SPDX-License-Identifier: MIT
"""What is fetched: exact releases with the integrity that the registry gave them."""

from __future__ import annotations

import base64
import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
LIST: Final = ROOT / "conformance" / "vendors.toml"


class FetchError(Exception):
    """Something that the user can put right, on one line."""


@dataclass(frozen=True)
class Pin:
    """One package.

    Args:
        package: ``NAME@VERSION`` on npm, ``NAME==VERSION`` on PyPI.
        integrity: ``sha512-BASE64`` as npm writes it, or ``sha256:HEX`` as PyPI does.
    """

    package: str
    integrity: str

    @property
    def on_pypi(self) -> bool:
        """Whether it is a wheel from PyPI."""
        return "==" in self.package

    @property
    def name(self) -> str:
        """The package's name, without its version."""
        return self.package.partition("==")[0] if self.on_pypi else self.package.rpartition("@")[0]

    def check(self, archive: Path) -> None:
        """Raise `FetchError` where the archive is not the one that is pinned."""
        with archive.open("rb") as file:
            algorithm = "sha256" if self.on_pypi else "sha512"
            digest = hashlib.file_digest(file, algorithm)
        encoded = base64.b64encode(digest.digest()).decode()
        found = f"sha256:{digest.hexdigest()}" if self.on_pypi else f"sha512-{encoded}"
        if found != self.integrity:
            raise FetchError(
                f"{self.package} has the integrity {found}, not the listed {self.integrity}; do not use it"
            )


@dataclass(frozen=True)
class Vendor(Pin):
    """One pinned release of a helper.

    Args:
        helper: its name, for ids, such as ``codex``.
        version: likewise.
        binary: the helper, below the unpacked folder.
        adapter: what drives it.
        needs: packages that it imports.
        module: for a helper in Python, what ``binary`` is to run; ``-`` for a plain interpreter.
        optional: whether it is left out unless it is named.
    """

    helper: str
    version: str
    binary: str
    adapter: str
    needs: tuple[Pin, ...] = field(default=())
    module: str = ""
    optional: bool = False

    @property
    def key(self) -> str:
        """The name of its folder in the cache."""
        return f"{self.helper}-{self.version}"

    @property
    def stamp(self) -> str:
        """The integrity of all that belongs to it."""
        return " ".join(pin.integrity for pin in (self, *self.needs))


def read_list(path: Path = LIST) -> list[Vendor]:
    """Read the pinned releases.

    Raises:
        FetchError: where the list cannot be read, or an entry has not exactly the fields of `Vendor`.
    """
    try:
        return [_vendor(row) for row in tomllib.loads(path.read_text(encoding="utf-8"))["vendor"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FetchError(f"'{path}' is no list of vendors: {error}") from error


def _vendor(row: dict[str, Any]) -> Vendor:
    needs = tuple(Pin(**need) for need in row.pop("needs", ()))
    return Vendor(helper=row.pop("name"), needs=needs, **row)


def choose(vendors: Sequence[Vendor], names: Sequence[str]) -> list[Vendor]:
    """Return those that are named, without names all but the optional ones.

    Raises:
        FetchError: for a name that is none.
    """
    known = sorted({name for vendor in vendors for name in (vendor.helper, vendor.key)})
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, 1)
            raise FetchError(f"there is no '{name}'; " + (f"did you mean '{close[0]}'?" if close else " ".join(known)))
    return [
        vendor for vendor in vendors if ({vendor.helper, vendor.key} & set(names) if names else not vendor.optional)
    ]
