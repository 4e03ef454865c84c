# SPDX-License-Identifier: MIT
"""Removing a folder that a helper had its way with.

Part of the launcher too: standard library only, Python 3.9.
"""

from __future__ import annotations

import os

from boxproof.clearing import remove_folder
from boxproof.grounds import kernel


def remove_tree(root: str) -> None:
    """Remove a folder and all below it, whatever a helper has made of it; no link is followed."""
    if os.path.islink(root):  # it may have put one there
        os.unlink(root)
    elif os.path.exists(root):  # one that runs as the tests' own user may have removed it
        remove_folder(root)


def unmount_below(root: str) -> None:
    """Take away every mount of this process's mount namespace at a folder or below it, the last one first.

    Raises:
        OSError: as umount2(2).
    """
    with open("/proc/self/mountinfo", "rb") as table:
        points = [line.split(b" ")[4] for line in table]
    for point in reversed(points):
        # mountinfo writes blanks and backslashes in octal (proc(5)); a farm root has neither
        if (point + b"/").startswith(os.fsencode(root) + b"/"):
            kernel.unmount(point)
