# SPDX-License-Identifier: MIT
"""Strings and arrays as TOML has them, fit to be read by people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

_PLAIN: Final = re.compile(r'[^\x00-\x1f\x7f"\\]*')
_LITERAL: Final = re.compile(r"[^\x00-\x1f\x7f']*")
_WIDTH: Final = 100
"""Columns up to which an array stays on one line."""


def array(key: str, items: Iterable[str]) -> Iterator[str]:
    """Write a key with an array of strings; nothing where there are none."""
    strings = [*map(string, items)]
    line = f"{key} = [{', '.join(strings)}]"
    if len(line) > _WIDTH:
        yield from (f"{key} = [", *(f"  {string}," for string in strings), "]")
    elif strings:
        yield line


def string(text: str) -> str:
    """Write a string on one line, with its backslashes as they are where TOML lets them be."""
    text = text.encode("utf-8", "backslashreplace").decode()
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    if _LITERAL.fullmatch(text):
        return f"'{text}'"
    # JSON's escapes are TOML's, but for DEL, which JSON leaves alone.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def multiline(text: str) -> str:
    """Write a tree, whose control characters are escaped already, over several lines."""
    if "\\" not in text and '"""' not in text:
        return f'"""\n{text}"""'
    if "'''" not in text:
        return f"'''\n{text}'''"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""\n{escaped}"""'
