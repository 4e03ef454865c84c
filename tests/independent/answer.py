# SPDX-License-Identifier: MIT
"""What a probe comes to under a helper that does what the contract prefers, and what may make another answer right."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final

from boxproof.model.probe import Probe
from tests.independent.descriptors import Reached, Spot
from tests.independent.grants import NOT_LISTED, Grants, object_at

_NOISE: Final = re.compile(r"//|(^|/)\.{1,2}(/|$)|/$")
ASKED: Final = frozenset({"read", "write", "create"})
"""The operations that are answered here."""


def reach(probe: Probe, grants: Grants) -> Reached:
    """Return where a probe's path leads."""
    if not probe.path.startswith("./"):
        return grants.walks.walk(grants.place(probe.path))
    cwd = grants.walks.walk(grants.place(grants.policy.cwd)).spot
    return grants.walks.walk(probe.path, cwd.folder if cwd else grants.walks.root)


def answer(probe: Probe, reached: Reached, grants: Grants) -> str:
    """Return ``allowed``, ``denied`` or ``absent``."""
    if reached.spot is None or (reached.error and reached.error != "ENOENT"):
        return "absent"
    if _hidden_on_the_way(reached, grants):
        return "denied"
    if probe.operation == "create" or (probe.operation == "write" and reached.error):
        return _made(reached.spot, reached, grants)
    if reached.error:
        return "absent"
    wanted = {"rw"} if probe.operation == "write" else {"ro", "rw"}
    usable = grants.is_file(reached) and grants.of(reached.spot) in wanted
    return "allowed" if usable else "denied"


def doubts(reached: Reached, grants: Grants) -> Iterator[str]:
    """Iterate over what the contract leaves open that this answer may hang on."""
    yield from _of_policy(grants)
    if reached.names > 1 and grants.is_file(reached):
        yield "another name of the file (MASK-3)"
    if grants.denied_on_the_way(reached):
        yield "a denied folder or link on the way (MASK-6)"
    if grants.policy.reads == "listed" and (reached.crossed or any(way.crossed for _, way in grants.named)):
        yield "which spellings are shown (BIND-1)"
    if not reached.error and not grants.is_file(reached):
        yield "no file"
    if reached.spot is None or not _in_farm(reached.spot, grants):
        yield "outside the farm"


def _of_policy(grants: Grants) -> Iterator[str]:
    named = {(object_at(way.spot), access) for access, way in grants.named if way.spot}
    if any(_NOISE.search(rule.spelling) for rule in grants.policy.rules):
        yield "noise in a spelling (BIND-7)"
    if len(named) > len({about for about, _ in named}):
        yield "two accesses for one object (BIND-4)"
    if any(_below_deny(spot, grants) for spot, access in grants.rules.items() if access != "deny"):
        yield "an allow below a deny (NEST-2)"
    if any(access == "ro" and way.error for access, way in grants.named):
        yield "a read-only rule that leads nowhere (START-2)"
    if grants.walks.second:
        yield "a second mount (MASK-9)"


def _made(spot: Spot, reached: Reached, grants: Grants) -> str:
    folder = Spot(spot.folder)
    if not reached.error:
        return "denied"
    return "allowed" if grants.of(spot) == grants.of(folder) == "rw" else "denied"


def _hidden_on_the_way(reached: Reached, grants: Grants) -> bool:
    return grants.denied_on_the_way(reached) or any(grants.of(link) == NOT_LISTED for link in reached.crossed)


def _below_deny(spot: Spot, grants: Grants) -> bool:
    above = (other for other in grants.walks.chain(spot) if other != spot)
    return any(grants.rules.get(other) == "deny" for other in above)


def _in_farm(spot: Spot, grants: Grants) -> bool:
    return os.path.commonpath((grants.walks.real(spot), grants.farm)) == grants.farm
