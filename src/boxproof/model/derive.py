# SPDX-License-Identifier: MIT
"""The probes that a farm and a policy ask for by themselves: every object by every spelling, within bounds.

Reads come first, then writes and new names, so that no probe spoils what a later one looks at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from boxproof.model.access import Meaning, is_below, meaning_of
from boxproof.model.names import FARM
from boxproof.model.policy import Policy, spelled_at
from boxproof.model.probe import Probe
from boxproof.model.resolve import Tree, resolve, spellings
from boxproof.model.topology import File, HardLink, Mount, Topology, is_folder

SPELLINGS: Final = 4
"""Spellings of one object that are tried, shortest first, the rules' own besides."""
PROBES: Final = 200
"""Probes of one launch."""


def derive(topology: Topology, policy: Policy, farm: str) -> tuple[Probe, ...]:
    """Return the probes of a case that names none."""
    meaning = meaning_of(Tree(topology, farm), policy)
    probes = [*_reads(meaning), *_writes(meaning), *_creates(meaning)]
    return tuple(islice(dict.fromkeys(probes), PROBES))


def _reads(meaning: Meaning) -> Iterator[Probe]:
    for entry in meaning.tree.topology:
        if isinstance(entry, File | HardLink):
            real = f"{meaning.tree.farm}/{entry.path}"
            for spelling in (*spellings(meaning.tree, real, SPELLINGS), *_by_rules(real, meaning)):
                yield Probe("read", _relative(spelling, meaning))
    for named in meaning.named:
        if named.found.node == "file" and not is_below(named.real, meaning.tree.farm):
            yield Probe("read", _relative(named.spelling, meaning))


def _writes(meaning: Meaning) -> Iterator[Probe]:
    for entry in meaning.tree.topology:
        if isinstance(entry, File | HardLink):
            yield Probe("write", entry.path)
    for named in meaning.named:
        # nothing is written outside the farm: the control does it without a sandbox
        if named.found.node == "file" and named.found.links and is_below(named.real, meaning.tree.farm):
            yield Probe("write", _relative(named.spelling, meaning))


def _creates(meaning: Meaning) -> Iterator[Probe]:
    """Iterate over new names, none of them outside the farm: the control makes them without a sandbox."""
    for path in _new_names(meaning):
        if resolve(meaning.tree, spelled_at(path, meaning.tree.farm)).creatable.startswith(f"{meaning.tree.farm}/"):
            yield Probe("create", path)


def _new_names(meaning: Meaning) -> Iterator[str]:
    for entry in meaning.tree.topology:
        if is_folder(entry):
            # a second mount of a folder shows what is made at the first
            yield f"{entry.path}/{'newer' if isinstance(entry, Mount) and entry.of else 'new'}"
    for number, named in enumerate(meaning.named):
        spelling = _relative(named.spelling, meaning)
        if named.found.node == "folder" and named.found.links:
            yield f"{spelling.rstrip('/')}/new-{number}"
        elif named.found.creatable:
            yield spelling


def _by_rules(real: str, meaning: Meaning) -> Iterator[str]:
    """Iterate over the spellings of a file that the rules themselves suggest."""
    for named in meaning.named:
        covered = named.found.real
        if covered and (real == covered or real.startswith(f"{covered}/")):
            spelling = (
                f"{named.spelling.rstrip('/')}{real.removeprefix(covered)}" if real != covered else named.spelling
            )
            if resolve(meaning.tree, spelling).real == real:
                yield spelling


def _relative(spelling: str, meaning: Meaning) -> str:
    """Return a spelling without the farm's path where what is left cannot be misread, else with ``{farm}``."""
    farm = meaning.tree.farm
    if not spelling.startswith(f"{farm}/"):
        # from above the root: the farm's path stands in the middle, and is another one on another host
        return spelling.replace(f"{farm}/", f"{FARM}/")
    rest = spelling.removeprefix(f"{farm}/")
    return f"{FARM}/{rest}" if rest.startswith(("/", "./")) else rest
