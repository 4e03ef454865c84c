# SPDX-License-Identifier: MIT
r"""Any text as a word of a POSIX shell script that is itself plain ASCII.

What a terminal might not show, or an editor change, is written as ``$(printf '\NNN')``; a newline as ``$nl``, since a
command substitution loses those at its end. Places that are known only when the script runs are variables in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_BARE: Final = re.compile(r"[A-Za-z0-9_./:=@%+,-]+")
_SINGLE: Final = re.compile(r"[ -&(-~]*")
_ODD: Final = r"\n|[^\n -~]+"
NEWLINE: Final = re.compile(r"\$\{?nl\b")
"""How a script refers to its variable for a newline."""


def word(text: str, variables: Mapping[str, str]) -> str:
    """Return `text` as one word: bare, in single quotes, or in double quotes where something is to be filled in.

    Args:
        text: decoded with ``surrogateescape``.
        variables: what stands for a place in `text`, to the name of the shell's variable for it.
    """
    if not any(place in text for place in variables):
        if _BARE.fullmatch(text):
            return text
        if _SINGLE.fullmatch(text):
            return f"'{text}'"
    return f'"{_filled(text, variables, quotes=True)}"'


def document(text: str, variables: Mapping[str, str]) -> str:
    """Return `text` as the body of a here-document whose delimiter is not quoted."""
    return _filled(text, variables, quotes=False)


def message(text: str) -> str:
    """Return a sentence in single quotes, with what is not ASCII escaped."""
    shown = text.encode("ascii", "backslashreplace").decode()
    return "'" + re.sub(r"[^ -~]", "?", shown).replace("'", "'\"'\"'") + "'"


def _filled(text: str, variables: Mapping[str, str], *, quotes: bool) -> str:
    places = sorted(variables, key=len, reverse=True)
    special = r'[\\$`"]' if quotes else r"[\\$`]"
    pattern = "|".join([*map(re.escape, places), _ODD, special])

    def replaced(found: re.Match[str]) -> str:
        piece, after = found.group(), text[found.end() : found.end() + 1]
        if piece in variables:
            return _variable(variables[piece], after)
        if piece == "\n":
            return _variable("nl", after) if quotes else piece
        return f"\\{piece}" if re.fullmatch(special, piece) else _octal(piece)

    return re.sub(pattern, replaced, text)


def _variable(name: str, after: str) -> str:
    return f"${{{name}}}" if re.match(r"[A-Za-z0-9_]", after) else f"${name}"


def _octal(text: str) -> str:
    digits = "".join(f"\\{byte:03o}" for byte in text.encode("utf-8", "surrogateescape"))
    return f"$(printf '{digits}')"
