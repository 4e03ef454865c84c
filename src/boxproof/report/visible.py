# SPDX-License-Identifier: MIT
"""Text of strangers, fit for a page: nothing in it is invisible, or turns the order of what stands around it."""

from __future__ import annotations

import re
from typing import Final

from boxproof.report.plain import printable

_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)
"""Controls (tab and newline stay), marks of direction, characters without width, and what XML cannot hold."""


def visible(text: str) -> str:
    r"""Return `text` with each hidden character as Python escapes it."""
    return _HIDDEN.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), printable(text))
