# SPDX-License-Identifier: MIT
"""System folders and files that ``"reads": "listed"`` shows without a rule: what a dynamic program needs to start.

Certificates, time zones, resolver and host names are not among them; a policy lists what its command needs.
"""

from __future__ import annotations

from .view import covered
from .walk import Walk, walk

IMPLIED = (
    b"/usr",
    b"/bin",
    b"/sbin",
    b"/lib",
    b"/lib32",
    b"/lib64",
    b"/libx32",
    b"/etc/alternatives",
    b"/etc/group",
    b"/etc/ld.so.cache",
    b"/etc/ld.so.conf",
    b"/etc/ld.so.conf.d",
    b"/etc/nsswitch.conf",
    b"/etc/passwd",
)


def walks(ruled: list[bytes]) -> list[Walk]:
    """Where the implied names lead, without those that do not exist or that lie in what a rule already governs.

    A link among them, such as /bin on a merged /usr, is followed and later made again.
    """
    found = [walk(name) for name in IMPLIED]
    return [way for way in found if not way.error and not covered(ruled, way.real)]
