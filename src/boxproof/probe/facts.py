# SPDX-License-Identifier: MIT
"""What a command said of itself: the facts in the output of ``process.sh``, and what was between them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from attrs import field, frozen

_PLACES: Final = frozenset({"end", "waiting"})
"""Names that say how far the command has come; what follows them is no fact's."""


@frozen
class Facts:
    """What one command said.

    Args:
        known: from the name of each fact to its bytes.
        rest: what belongs to none: the command's other output, or somebody else's.
    """

    known: Mapping[str, bytes] = field(factory=dict)
    rest: bytes = b""

    def lines(self, name: str) -> list[str]:
        """Return the lines of a fact, none where it was not told."""
        return self.known.get(name, b"").decode("utf-8", "surrogateescape").splitlines()

    def row(self, name: str, label: str) -> str:
        """Return what follows ``LABEL:`` in a fact that is a file of /proc, or ``""``."""
        found = (line.partition(":") for line in self.lines(name))
        return next((value.strip() for key, _, value in found if key == label), "")

    def is_unknown(self, name: str) -> bool:
        """Tell whether the command has not told, or could not, for want of /proc."""
        return name not in self.known or "unknown" in self.lines(name)


def read_facts(output: bytes, nonce: str) -> Facts:
    """Read the facts in a stream, the probe's own lines having been taken out of it."""
    before, *pieces = output.split(f"{nonce} ".encode())
    known, rest = {}, [before]
    for piece in pieces:
        name, _, content = piece.partition(b"\n")
        if name.decode("ascii", "replace") in _PLACES:
            rest.append(content)
        else:
            known[name.decode("ascii", "replace")] = content
    return Facts(MappingProxyType(known), b"".join(rest))
