# SPDX-License-Identifier: MIT
"""What a helper can claim to express, and what a policy needs of it.

A case that needs a capability that the helper does not claim is `not-applicable`, never a pass. One capability is
different: without `CARVE_OUT` a helper must refuse such a policy (contract, NEST-1), so the case is run all the same.
"""

from __future__ import annotations

from enum import StrEnum


class Capability(StrEnum):
    """Something that not every helper's policy can say."""

    DENY = "deny"
    """Entries that are neither readable nor writable."""
    LISTED_READS = "listed-reads"
    """Policies in which only listed paths are readable."""
    RO_RULES = "ro-rules"
    """Entries that are readable only, where everything is readable: they matter inside writable folders."""
    RW_RULES = "rw-rules"
    """Writable entries besides the working folder."""
    RO_CWD = "ro-cwd"
    """A working folder that the command cannot write."""
    CARVE_OUT = "carve-out"
    """A narrower access inside a wider one. Helpers without it (Landlock alone) must refuse."""
    WIDENING = "widening"
    """A writable entry inside a read-only one."""
    GRANT_OVERRIDES_DENY = "grant-overrides-deny"
    """Documented: a grant below or beside a deny wins. NEST-1's denies do not apply to such a helper."""
    RAW_NAMES = "raw-names"
    """Names that are not UTF-8 can be written in a policy."""
    POLICY_DOCUMENT = "policy-document"
    """The policy is a document with named keys, so that CONF-1 can be asked."""
    NETWORK_SWITCH = "network-switch"
    """The policy says whether the network is reachable."""
    METADATA = "metadata"
    """Mode, owner and times outside writable folders are protected (helpers that mount)."""
    PROCESSES = "processes"
    """The processes of the host are hidden (helpers with a pid namespace), and root's capabilities are given up."""
