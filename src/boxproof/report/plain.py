# SPDX-License-Identifier: MIT
"""Values as plain JSON types, with every string fit to be written as UTF-8."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final, TypeAlias

from attrs import fields_dict, has

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BYTES: Final = range(0xDC80, 0xDD00)
"""Surrogates by which ``surrogateescape`` stands for the bytes from 0x80."""


def plain(value: object) -> Json:
    r"""Return a value of attrs classes, enumerations, mappings and sequences in plain JSON types.

    A byte that is not UTF-8 becomes the text ``\xNN``, since neither JSON's readers nor execnet can be trusted with an
    unpaired surrogate.
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {printable(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return [plain(item) for item in sorted(value, key=str)]
    kind = type(value)
    return {name: plain(getattr(value, name)) for name in fields_dict(kind)} if has(kind) else printable(str(value))


def printable(text: str) -> str:
    r"""Return `text` with unpaired surrogates written as ``\xNN`` (a byte) or ``\uNNNN``."""
    return _SURROGATE.sub(lambda found: _escaped(ord(found.group())), text)


def _escaped(code: int) -> str:
    return f"\\x{code & 0xFF:02x}" if code in _BYTES else f"\\u{code:04x}"
