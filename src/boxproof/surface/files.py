# SPDX-License-Identifier: MIT
"""The files that commands read and write."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from boxproof.errors import CaseError, ReportError
from boxproof.report.json import Report, read_report


def read_report_file(path: Path) -> Report:
    """Read a JSON report.

    Raises:
        ReportError: where it cannot be read, or is none.
    """
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise ReportError(f"the report '{path}' cannot be read", cause=error.strerror or "") from error
    return read_report(text, path.name)


def check_writable(path: Path) -> None:
    """Find out before the work is done, not after.

    Raises:
        CaseError: where no file can come to lie there.
    """
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "lies in no folder"
        raise CaseError(f"'{path}' {what}", cure="name a file with -o")


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        CaseError: where it cannot be written.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        part.write_bytes(text.encode("utf-8", "surrogateescape"))
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CaseError(f"'{path}' cannot be written", cause=error.strerror or "") from error
