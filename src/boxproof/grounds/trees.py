# SPDX-License-Identifier: MIT
"""Removing a folder that a helper had its way with.

Part of the launcher too: standard library only, Python 3.9.
"""

from __future__ import annotations

import os
import shutil
import stat

from boxproof.grounds import kernel


def remove_tree(root: str) -> None:
    """Remove a folder and all below it, also folders that their owner made unreadable; no link is followed."""
    if os.path.islink(root):  # likewise it may have put one there
        os.unlink(root)
        return
    for folder, names, _ in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, stat.S_IRWXU)
    if os.path.exists(root):  # a helper that runs as the tests' own user may have removed it
        shutil.rmtree(root)


def unmount_below(root: str) -> None:
    """Take away every mount of this process's mount namespace below a folder, the last one first.

    Raises:
        OSError: as umount2(2).
    """
    with open("/proc/self/mountinfo", "rb") as table:
        points = [line.split(b" ")[4] for line in table]
    for point in reversed(points):
        # mountinfo writes blanks and backslashes in octal (proc(5)); a farm root has neither
        if point.startswith(os.fsencode(root) + b"/"):
            kernel.unmount(point)
