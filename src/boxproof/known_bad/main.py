# SPDX-License-Identifier: MIT
"""The command line: ``known_bad NAME`` and the reference's own arguments, or ``known_bad --list``."""

from __future__ import annotations

import sys

from boxproof.reference import main as reference

from .entry import install
from .table import find, table

USAGE = "usage: known_bad --list | NAME --policy FILE [--bwrap PATH] [--check] -- COMMAND [ARGUMENT ...]\n"
WRONG_USAGE = 2


def main(mask: set[int]) -> int:
    """Become the known-bad helper that the first argument names, and run; gives the exit status.

    `mask` is the caller's signal mask, signals being blocked already.
    """
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name == "--list":
        sys.stdout.write("".join(f"{bad.name:<28} {bad.caught:<8} {bad.line}\n" for bad in table()))
        return 0
    bad = find(name)
    if bad is None:
        sys.stderr.write(USAGE)
        return WRONG_USAGE
    del sys.argv[1]
    install(bad)
    return reference.main(mask)
