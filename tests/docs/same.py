# SPDX-License-Identifier: MIT
"""Whether a command prints what a page shows.

In the page ``...`` stands for anything: on a line of its own for any number of lines, else for a part of its line. What
differs between machines and runs (times, hashes, versions, names of temporary folders, the number of all cases, widths)
is left out on both sides.
"""

from __future__ import annotations

import difflib
import re
from typing import Final

_NOISE: Final = tuple(
    (re.compile(pattern, re.MULTILINE), put)
    for pattern, put in (
        (r"\x1b\[[0-9;]*m", ""),
        (r"\d+\.\d+s(?: \(\d+:\d+:\d+\))?", "(seconds)"),
        (r"^(platform|host:|bwrap:|generated:|rootdir:|plugins:) .*", r"\1"),
        (r"/\S*/boxproof-[a-z0-9_]{8}\b", "(folder)"),
        (r"/\S*/(src/boxproof/\w+/__main__\.py)", r"\1"),
        (r"version \S+, sha256 [0-9a-f]{16}", "version, sha256"),
        (r"\d+ (items|deselected)", r"\1"),
        (r"={2,}", "=="),
        (r"_{3,}", "__"),
        (r" +(?=\[ *\d+%\])", " "),
        (r" +$", ""),
    )
)


def difference(shown: str, printed: str) -> str:
    """Return how what is printed differs from what is shown, empty where it does not."""
    wanted, got = _plain(shown), _plain(printed)
    if re.fullmatch(_pattern(wanted), got):
        return ""
    return "\n".join(difflib.unified_diff(wanted.splitlines(), got.splitlines(), "page", "command", lineterm=""))


def _plain(text: str) -> str:
    for pattern, put in _NOISE:
        text = pattern.sub(put, text)
    return text.strip() + "\n"


def _pattern(text: str) -> str:
    return "".join(
        r"(?:.*\n)*?" if line == "..." else r".*".join(map(re.escape, line.split("..."))) + r"\n"
        for line in text.splitlines()
    )
