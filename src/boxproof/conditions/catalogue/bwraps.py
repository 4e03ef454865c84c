# SPDX-License-Identifier: MIT
"""The first bwrap on PATH missing, old, broken, or somebody else's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from boxproof.conditions.condition import Canary, Condition, Fidelity, Plan

_EVERYWHERE: Final = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/usr/sbin/bwrap", "/sbin/bwrap")
_SUMMARIES: Final = {
    "missing": "there is no bwrap",
    "noted": "the first bwrap on PATH notes that it is executed",
    "other-owner": "the first bwrap on PATH belongs to another user",
    "world-writable": "anybody may write the first bwrap on PATH",
    "in-workspace": "the first bwrap on PATH lies in a folder that the policy makes writable",
    "relative": "the first bwrap on PATH lies in a folder that PATH names relatively",
    "too-old": "the first bwrap on PATH is of version 0.1.8",
    "without-perms": "the first bwrap on PATH knows no --perms",
    "without-argv0": "the first bwrap on PATH knows no --argv0",
    "exits-0": "the first bwrap on PATH ends at once with status 0",
    "dies": "the first bwrap on PATH dies of a signal",
    "fails": "the first bwrap on PATH answers --help and --version, and makes no sandbox",
    "hangs": "the first bwrap on PATH never ends",
    "hangs-on-help": "the first bwrap on PATH never ends when asked for --help or --version",
    "unconfined": "the first bwrap on PATH runs the command and confines nothing",
}
_APPROXIMATE: Final = frozenset({"too-old", "without-perms", "without-argv0"})


def bwrap_conditions() -> Iterator[Condition]:
    """Iterate over them; that a script is not a bwrap to the byte does not matter to a caller."""
    for kind, summary in _SUMMARIES.items():
        fidelity: Fidelity = "approximate" if kind in _APPROXIMATE else "real"
        missing = kind == "missing"
        yield Condition(
            name="no-bwrap" if missing else f"bwrap-{kind}",
            summary=summary,
            fidelity="equivalent" if missing else fidelity,
            # what names a path of its own instead of PATH finds a file that cannot be executed
            plan=Plan(bwrap=kind, mounts=(("hide-each", *_EVERYWHERE),) if missing else ()),
            canaries=(Canary("on-path", "ENOENT" if missing else "{bwrap}", ("bwrap",)),),
            lacks=frozenset() if kind == "noted" else frozenset({"bwrap"}),
            about=frozenset({"bwrap"}),
        )
