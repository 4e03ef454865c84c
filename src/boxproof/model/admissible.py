# SPDX-License-Identifier: MIT
"""What one probe may come to under one reading of a policy."""

from __future__ import annotations

import posixpath
from typing import Final

from boxproof.model.access import AccessMap, Meaning
from boxproof.model.policy import spelled_at
from boxproof.model.probe import Outcome, Probe
from boxproof.model.resolve import Resolution, resolve
from boxproof.model.topology import File

JUDGED: Final = frozenset({"read", "write", "create", "connect"})
"""The operations that the oracle has an opinion on."""
ANY: Final[frozenset[Outcome]] = frozenset({"any"})

_YES: Final[frozenset[Outcome]] = frozenset({"allowed"})
_NO: Final[frozenset[Outcome]] = frozenset({"denied", "absent"})
_OWNER: Final = {"read": 0o400, "write": 0o200}


def question(probe: Probe, meaning: Meaning) -> Resolution:
    """Return what a probe's path leads to on the tree at launch."""
    tree = meaning.tree
    if not probe.path.startswith("./"):
        return resolve(tree, spelled_at(probe.path, tree.farm))
    cwd = resolve(tree, spelled_at(meaning.policy.cwd, tree.farm)).real
    return resolve(tree, probe.path, cwd=cwd or "/")


def admissible(probe: Probe, found: Resolution, meaning: Meaning, access: AccessMap) -> frozenset[Outcome]:
    """Return what may come of `probe`, whose path leads to `found`, where `access` is what the policy means."""
    if found.error == "outside" or found.node in {"folder", "fifo", "namespace"}:
        return ANY
    if probe.operation == "create" or (probe.operation == "write" and found.creatable):
        return _creating(found, meaning, access)
    if found.error:
        return _NO
    if probe.operation == "connect" or found.node == "socket":
        # path sockets are nobody's promise unless they are denied (contract, PROC-4)
        return _NO if access.of(found.real) == "deny" else _YES | _NO
    return _using(probe, found, meaning, access)


def _using(probe: Probe, found: Resolution, meaning: Meaning, access: AccessMap) -> frozenset[Outcome]:
    """Return what may come of reading or writing a file that is there."""
    if access.of(found.real) not in ({"rw"} if probe.operation == "write" else {"ro", "rw"}):
        return _NO
    sure = _surely_shown(found, found.real, meaning, access) and _owner_may(probe, found, meaning)
    if probe.operation == "write":
        sure = sure and _granted_by_name(found.real, access)
    return _YES if sure and not _half_denied(found.real, meaning, access) else _YES | _NO


def _creating(found: Resolution, meaning: Meaning, access: AccessMap) -> frozenset[Outcome]:
    if not found.creatable:
        return _NO
    folder = posixpath.dirname(found.creatable)
    if access.of(found.creatable) != "rw" or access.of(folder) != "rw":
        return _NO
    sure = _surely_shown(found, found.creatable, meaning, access) and _granted_by_name(found.creatable, access)
    sure = sure and meaning.tree.writable(folder)
    return _YES if sure else _YES | _NO


def _surely_shown(found: Resolution, real: str, meaning: Meaning, access: AccessMap) -> bool:
    """Tell whether what is allowed at `real` must be usable by this very spelling."""
    if any(access.of(place) == "deny" for place in (*found.searched, *found.links)):
        return False
    if meaning.policy.reads == "everything":
        return True
    # a name that only a second mount gives is listed by no rule, whatever lies behind it
    if not all(map(access.covering, (real, *found.links))):
        return False
    return not _granted_by_alias(real, meaning, access)


def _granted_by_name(real: str, access: AccessMap) -> bool:
    """Tell whether a rule covers the name; what is writable because a second mount of it is need not be (MASK-9)."""
    return bool(access.covering(real))


def _granted_by_alias(real: str, meaning: Meaning, access: AccessMap) -> bool:
    """Tell whether only spellings through links grant the object: a helper may then show it by those alone."""
    covering = access.covering(real)
    granting = [named for named in meaning.named if named.real == covering]
    return bool(granting) and all(named.found.links for named in granting)


def _owner_may(probe: Probe, found: Resolution, meaning: Meaning) -> bool:
    """Tell whether the file's own mode lets its owner do this, helper or not."""
    first = next((first for first, names in meaning.inodes.items() if found.real in names), "")
    entry = meaning.tree.topology.by_path.get(first.removeprefix(f"{meaning.tree.farm}/"))
    wanted = _OWNER[probe.operation]
    return meaning.tree.privileged or not isinstance(entry, File) or entry.mode & wanted == wanted


def _half_denied(real: str, meaning: Meaning, access: AccessMap) -> bool:
    """Tell whether another name of the file is denied and no rule speaks of this one (MASK-3, RECORD)."""
    names = next((names for names in meaning.inodes.values() if real in names), ())
    return not access.covering(real) and any(access.of(name) == "deny" for name in names)
