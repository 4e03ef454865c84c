# SPDX-License-Identifier: MIT
"""``--check``: whether the sandbox of this policy can start on this host, with nothing of the user's in it (FALL-5)."""

from __future__ import annotations

import os

from .launch import Job, run
from .refusal import Refused, shown

HARMLESS = [b"/proc/self/exe", b"--version"]
"""bwrap itself, asked for its version: the one program that is in reach whatever the policy hides."""


def preflight(job: Job, mask: set[int], lifeline: int) -> int:
    """Start the sandbox around a harmless command; 0 if it was reached, else `Refused` with bwrap's own words."""
    said = os.memfd_create("said")
    nothing = os.open("/dev/null", os.O_RDWR)
    job.command = HARMLESS
    job.moved = {0: nothing, 1: nothing, 2: said}
    try:
        run(job, mask, lifeline)
    except Refused as refused:
        words = os.pread(said, 300, 0).split(b"\n")[0]
        why = f"{refused.why}: {shown(words)}" if words else refused.why
        raise Refused(refused.what, why, refused.advice) from refused
    return 0
