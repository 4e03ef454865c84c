# SPDX-License-Identifier: MIT
"""A classic BPF machine, as far as seccomp filters need one: an independent reading of what `assemble` writes."""

from __future__ import annotations

import struct
from collections.abc import Sequence

ALLOW = 0x7FFF0000
NOTIFY = 0x7FC00000
ARCHITECTURE = 0xC000003E


def run(program: bytes, number: int, arguments: Sequence[int] = (), *, architecture: int = ARCHITECTURE) -> int:
    """Return the action for one call; six arguments of 64 bits, zero where none is given."""
    words = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *words)
    instructions = list(struct.iter_unpack("<HBBI", program))
    at, accumulator = 0, 0
    while True:
        code, if_true, if_false, k = instructions[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, k)
        elif code == 0x06:
            return int(k)
        else:
            holds = {0x15: accumulator == k, 0x35: accumulator >= k, 0x45: bool(accumulator & k)}[code]
            at += if_true if holds else if_false
