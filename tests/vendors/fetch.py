# SPDX-License-Identifier: MIT
"""Fetches the releases of ``conformance/vendors.toml`` from npm into an ignored cache.

``python tests/vendors/fetch.py [--cache FOLDER] [NAME | NAME-VERSION ...]``

Nothing of a package is run. A tarball counts only with the integrity of the list, and a folder in the cache is
complete or not there. Prints the path of each binary; exit status 1 and one line where something is wrong.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
LIST: Final = ROOT / "conformance" / "vendors.toml"
CACHE: Final = ROOT / ".cache" / "vendors"
_NPM_SECONDS: Final = 600
_UNPACKED_BYTES: Final = 1 << 30
_STAMP: Final = ".integrity"


class FetchError(Exception):
    """Something that the user can put right, on one line."""


@dataclass(frozen=True)
class Vendor:
    """One pinned release."""

    name: str
    version: str
    package: str
    integrity: str
    binary: str
    adapter: str

    @property
    def key(self) -> str:
        """The name of its folder in the cache."""
        return f"{self.name}-{self.version}"


def read_list(path: Path = LIST) -> list[Vendor]:
    """Read the pinned releases.

    Raises:
        FetchError: where the list cannot be read, or an entry has not exactly the fields of `Vendor`.
    """
    try:
        return [Vendor(**row) for row in tomllib.loads(path.read_text(encoding="utf-8"))["vendor"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FetchError(f"'{path}' is no list of vendors: {error}") from error


def choose(vendors: Sequence[Vendor], names: Sequence[str]) -> list[Vendor]:
    """Return those that are named, all without names.

    Raises:
        FetchError: for a name that is none.
    """
    known = sorted({name for vendor in vendors for name in (vendor.name, vendor.key)})
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, 1)
            raise FetchError(f"there is no '{name}'; " + (f"did you mean '{close[0]}'?" if close else " ".join(known)))
    return [vendor for vendor in vendors if not names or {vendor.name, vendor.key} & set(names)]


def fetch(vendor: Vendor, cache: Path) -> Path:
    """Return the binary in the cache, fetched now where it is not there with this integrity.

    Raises:
        FetchError: where npm or the network is missing, or the tarball is not the one that is listed.
    """
    target = cache / vendor.key
    if not _is_complete(target, vendor):
        cache.mkdir(parents=True, exist_ok=True)
        with _working_folder(cache, vendor.key) as work:
            tarball = _pack(vendor, work)
            _check(tarball, vendor)
            _unpack(tarball, work / "new", vendor)
            _put(work / "new", target, work / "old")
    return target / vendor.binary


def _is_complete(target: Path, vendor: Vendor) -> bool:
    try:
        return (target / _STAMP).read_text(encoding="ascii") == vendor.integrity and (target / vendor.binary).is_file()
    except OSError:
        return False


@contextlib.contextmanager
def _working_folder(cache: Path, key: str) -> Iterator[Path]:
    work = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=cache))
    try:
        yield work
    finally:
        shutil.rmtree(work)


def _pack(vendor: Vendor, work: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError("npm is not on PATH; install Node.js, or put a fetched cache in place")
    command = [npm, "pack", "--ignore-scripts", "--loglevel=error", f"--pack-destination={work}", vendor.package]
    try:
        subprocess.run(
            command, cwd=work, check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=_NPM_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"npm did not fetch {vendor.package} within {_NPM_SECONDS} s; is the network up?") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").split("\n")
        reason = next((line for line in said if line.strip()), "no reason given")
        raise FetchError(f"npm cannot fetch {vendor.package}: {reason}; is the network up?") from error
    tarballs = list(work.glob("*.tgz"))
    if len(tarballs) != 1:
        raise FetchError(f"npm fetched {len(tarballs)} tarballs for {vendor.package}")
    return tarballs[0]


def _check(tarball: Path, vendor: Vendor) -> None:
    with tarball.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    found = f"sha512-{base64.b64encode(digest).decode()}"
    if found != vendor.integrity:
        raise FetchError(
            f"{vendor.package} has the integrity {found}, not the listed {vendor.integrity}; do not use it"
        )


def _unpack(tarball: Path, folder: Path, vendor: Vendor) -> None:
    """Unpack regular files and folders; a package from npm holds nothing else."""
    folder.mkdir()
    try:
        with tarfile.open(tarball, "r:gz") as archive:
            for member in _plain(archive, vendor):
                _write(archive, member, folder / member.name)
    except (tarfile.TarError, EOFError, OSError) as error:
        raise FetchError(f"{vendor.package} cannot be unpacked: {error}") from error
    if not os.access(folder / vendor.binary, os.X_OK):
        raise FetchError(f"{vendor.package} holds no executable '{vendor.binary}'")
    (folder / _STAMP).write_text(vendor.integrity, encoding="ascii")


def _plain(archive: tarfile.TarFile, vendor: Vendor) -> Iterator[tarfile.TarInfo]:
    """Iterate over the files; without links among them a name without ``..`` stays in the folder."""
    size = 0
    for member in archive:
        size += member.size
        inside = not member.name.startswith("/") and ".." not in member.name.split("/")
        if not inside or not (member.isreg() or member.isdir()):
            raise FetchError(f"{vendor.package} holds '{member.name}', which is no plain file of its own")
        if size > _UNPACKED_BYTES:
            raise FetchError(f"{vendor.package} unpacks to more than {_UNPACKED_BYTES >> 20} MiB")
        if member.isreg():
            yield member


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, path: Path) -> None:
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    with contextlib.closing(archive.extractfile(member) or io.BytesIO()) as source, path.open("xb") as copy:
        shutil.copyfileobj(source, copy)
    path.chmod(0o755 if member.mode & 0o100 else 0o644)


def _put(new: Path, target: Path, old: Path) -> None:
    """Put `new` in place by one rename; what was there before has other contents."""
    if target.exists():
        target.rename(old)
    new.rename(target)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch what the command line names."""
    parser = argparse.ArgumentParser(description="Fetch pinned releases of sandbox helpers into a cache.")
    parser.add_argument("--cache", type=Path, default=CACHE, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    try:
        for vendor in choose(read_list(), options.names):
            sys.stdout.write(f"{fetch(vendor, options.cache.absolute())}\n")
    except (FetchError, OSError) as error:
        sys.stderr.write(f"fetch: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
