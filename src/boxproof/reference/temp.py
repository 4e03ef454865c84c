# SPDX-License-Identifier: MIT
"""Temp folders of the sandbox's own, for a policy with ``"tmp": "writable"``."""

from __future__ import annotations

from .paths import ROOT, at_or_below
from .view import PRIVATE
from .walk import walk

USUAL = b"/tmp"


def private_folders(tmpdir: bytes, ruled: list[bytes]) -> dict[bytes, str]:
    """The entries of the view for /tmp and $TMPDIR, by canonical path, where they exist and no rule governs them."""
    wanted = [walk(name) for name in (USUAL, tmpdir) if name.startswith(b"/")]
    return {way.real: PRIVATE for way in wanted if not way.error and way.is_folder and not governed(way.real, ruled)}


def governed(folder: bytes, ruled: list[bytes]) -> bool:
    """Whether a rule already says what a temp folder is. A rule about the whole root does not mean it."""
    return folder == ROOT or any(rule != ROOT and at_or_below(folder, rule) for rule in ruled)
