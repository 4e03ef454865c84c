# SPDX-License-Identifier: MIT
r"""How a name of any bytes is written on one line: ``\xNN`` for what would be misread, all else as it is.

Inside Boxproof a path is a `str` decoded from the file system's bytes with ``surrogateescape`` (`os.fsdecode`), so that
a name that is not UTF-8 survives. In a case file, a report and a message the same path is written with escapes for
blanks, control characters, the characters of the notation itself, and bytes that are not UTF-8.
"""

from __future__ import annotations

import re
from typing import Final

from boxproof.errors import NotationError

FARM: Final = "{farm}"
"""Placeholder for the absolute path of the farm, in link texts and rule spellings."""

UP: Final = "{up}"
"""Placeholder for as many ``../`` as lead from a link's folder to the root, and two more than that."""

_TO_ESCAPE: Final = re.compile(r"[#\x00-\x20\x7f-\xa0\\:{}\u2028\u2029\udc80-\udcff]")
_ESCAPE: Final = re.compile(r"\\x([0-9a-fA-F]{2})|\\(.?)")
_PLACEHOLDER: Final = re.compile(re.escape(FARM) + "|" + re.escape(UP))


def escape(text: str) -> str:
    r"""Write `text` so that it holds no blank, no control character and nothing the notation uses.

    The placeholders ``{farm}`` and ``{up}`` stay; a literal brace, colon or backslash becomes ``\xNN``.
    """
    pieces, start = [], 0
    for found in _PLACEHOLDER.finditer(text):
        pieces += [_escape_plain(text[start : found.start()]), found.group()]
        start = found.end()
    return "".join([*pieces, _escape_plain(text[start:])])


def unescape(text: str) -> str:
    r"""Read what `escape` wrote; a byte above 0x7f that does not complete a UTF-8 character is kept as a surrogate.

    Raises:
        NotationError: for a backslash that does not begin ``\xNN``, and for ``\x00``.
    """
    raw = bytearray()
    start = 0
    for found in _ESCAPE.finditer(text):
        if found.group(1) is None:
            raise NotationError(f"'{text}' holds a backslash", cure=r"write a literal backslash as \x5c")
        raw += text[start : found.start()].encode("utf-8", "surrogateescape") + bytes([int(found.group(1), 16)])
        start = found.end()
    raw += text[start:].encode("utf-8", "surrogateescape")
    if 0 in raw:
        raise NotationError(f"'{text}' holds a NUL byte", cause="no path can")
    return raw.decode("utf-8", "surrogateescape")


def _escape_plain(text: str) -> str:
    return _TO_ESCAPE.sub(
        lambda found: "".join(f"\\x{byte:02x}" for byte in found.group().encode("utf-8", "surrogateescape")), text
    )
