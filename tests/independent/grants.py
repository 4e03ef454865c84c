# SPDX-License-Identifier: MIT
"""What a policy grants on the farm on disk: the nearest rule on a spot or above it; on one object, the most careful."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from functools import cached_property
from typing import Final, TypeAlias

from attrs import frozen

from boxproof.model.policy import Policy
from tests.independent.descriptors import Descriptors, Folder, Reached, Spot

Object: TypeAlias = tuple[int, int, str]
"""Device and inode of a folder, and a name in it: a spot by whichever mount it is seen."""

CAREFUL: Final = ("deny", "ro", "rw")
NOT_LISTED: Final = "not listed"


@frozen
class Grants:
    """A policy on a farm.

    Args:
        walks: the farm's descriptors.
        policy: spellings as written.
        farm: absolute path of the farm.
    """

    walks: Descriptors
    policy: Policy
    farm: str

    def place(self, spelling: str) -> str:
        """Return a spelling as a system call gets it."""
        return os.path.join(self.farm, spelling.replace("{farm}", self.farm))

    @cached_property
    def named(self) -> tuple[tuple[str, Reached], ...]:
        """The access of each rule and where its spelling leads."""
        return tuple((rule.access, self.walks.walk(self.place(rule.spelling))) for rule in self.policy.rules)

    @cached_property
    def rules(self) -> dict[Spot, str]:
        """The access of everything that a rule is about, a missing name where it is denied."""
        rules: dict[Spot, str] = {}
        for access, reached in self.named:
            spot = reached.spot
            if spot and (not reached.error or (access == "deny" and reached.error == errno.errorcode[errno.ENOENT])):
                rules[spot] = _careful(access, rules.get(spot, access))
        return rules

    @cached_property
    def by_object(self) -> dict[Object, str]:
        """The same, for a folder and its second mounts together."""
        rules: dict[Object, str] = {}
        for spot, access in self.rules.items():
            rules[object_at(spot)] = _careful(access, rules.get(object_at(spot), access))
        return rules

    def of(self, spot: Spot) -> str:
        """Return the access of a spot."""
        here = (self.rules.get(above) for above in self.walks.chain(spot))
        shown = (self.by_object.get(object_at(above)) for above in self.shown(spot))
        nearest = [access for found in (here, shown) if (access := next(filter(None, found), None))]
        if nearest:
            return _careful(*nearest)
        return "ro" if self.policy.reads == "everything" else NOT_LISTED

    def shown(self, spot: Spot) -> Iterator[Spot]:
        """Iterate over a spot and what is above it, from the root of a second mount on at the folder that it shows."""
        if spot.name:
            yield spot
        folder, below = self._first(spot.folder), None
        while folder != below:
            yield Spot(folder)
            folder, below = self._first(self.walks.above(folder)), folder

    def denied_on_the_way(self, reached: Reached) -> bool:
        """Tell whether a link or folder that a walk came by is denied."""
        return any(self.of(spot) == "deny" for spot in (*reached.crossed, *reached.searched))

    def is_file(self, reached: Reached) -> bool:
        """Tell whether a walk came to a regular file."""
        return not reached.error and stat.S_ISREG(reached.mode)

    def _first(self, folder: Folder) -> Folder:
        while folder in self.walks.second:
            folder = self.walks.second[folder]
        return folder


def object_at(spot: Spot) -> Object:
    """Return what a spot is, by whichever mount it is seen."""
    _, device, inode = spot.folder
    return device, inode, spot.name


def _careful(*accesses: str) -> str:
    return min(accesses, key=CAREFUL.index)
