# SPDX-License-Identifier: MIT
"""Tarballs from npm and wheels from PyPI, unpacked without trust in them."""

from __future__ import annotations

import contextlib
import io
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, TypeAlias

from tests.vendors.pins import FetchError

_BYTES: Final = 1 << 30
_Member: TypeAlias = tuple[str, bool, IO[bytes]]


def unpack(archive: Path, folder: Path, name: str) -> None:
    """Unpack regular files and folders into `folder`; a package holds nothing else.

    Args:
        archive: a tarball or a wheel.
        folder: may be there.
        name: the package, for messages.

    Raises:
        FetchError: for anything else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    members = _wheel(archive, name) if archive.suffix == ".whl" else _tarball(archive, name)
    try:
        for path, executable, source in members:
            _write(source, folder / path, 0o755 if executable else 0o644)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise FetchError(f"{name} cannot be unpacked: {error}") from error


def _tarball(archive: Path, name: str) -> Iterator[_Member]:
    """Iterate over the files; without links among them a name without ``..`` stays in the folder."""
    size = 0
    with tarfile.open(archive, "r:gz") as opened:
        for member in opened:
            size += member.size
            _check(member.name, name, size, plain=member.isreg() or member.isdir())
            if member.isreg():
                with contextlib.closing(opened.extractfile(member) or io.BytesIO()) as source:
                    yield member.name, bool(member.mode & stat.S_IXUSR), source


def _wheel(archive: Path, name: str) -> Iterator[_Member]:
    size = 0
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            size += member.file_size
            mode = member.external_attr >> 16
            _check(member.filename, name, size, plain=stat.S_IFMT(mode) in {0, stat.S_IFREG, stat.S_IFDIR})
            if not member.is_dir():
                with opened.open(member) as source:
                    yield member.filename, bool(mode & stat.S_IXUSR), source


def _check(path: str, name: str, size: int, *, plain: bool) -> None:
    if not plain or path.startswith("/") or ".." in path.split("/"):
        raise FetchError(f"{name} holds '{path}', which is no plain file of its own")
    if size > _BYTES:
        raise FetchError(f"{name} unpacks to more than {_BYTES >> 20} MiB")


def _write(source: IO[bytes], path: Path, mode: int) -> None:
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    with path.open("xb") as copy:
        shutil.copyfileobj(source, copy)
    path.chmod(mode)
