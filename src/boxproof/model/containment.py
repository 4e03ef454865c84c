# SPDX-License-Identifier: MIT
"""Whether a case keeps to its farm: its probes are run without a sandbox too, as the control.

A case file may come from anybody, so nothing that writes may lead outside, neither on the farm as it is built nor
through links that the probes themselves make or move.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from boxproof.errors import CaseError
from boxproof.model.case import Case
from boxproof.model.names import FARM, UP, escape
from boxproof.model.policy import spelled_at
from boxproof.model.probe import DEVICES, MUTATING, WITH_OTHER, Probe, format_probe
from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import Link

_WRITING: Final = MUTATING | {"write", "create", "touch", "exec"}
_MOVING: Final = frozenset({"rename", "exchange", "link"})


def check_contained(case: Case, farm: str) -> None:
    """Refuse a case whose probes could change something outside its farm.

    Raises:
        CaseError: naming the probe or link.
    """
    tree = Tree(case.topology, farm)
    _check_devices(case)
    probes = [probe for probe in (*case.probes, *case.then) if probe.operation in _WRITING]
    for probe in probes:
        for path in _paths(probe):
            if not _stays(path, tree):
                raise CaseError(
                    f"`{format_probe(probe)}` leaves the farm",
                    cause="the probes are run without a sandbox too, as the control",
                    cure="name a path below the farm",
                )
    if any(probe.operation in WITH_OTHER for probe in probes):
        _check_movable_links(case, tree, probes)


def _check_devices(case: Case) -> None:
    for probe in (*case.probes, *case.then):
        if probe.operation == "device" and probe.path not in DEVICES:
            known = " or ".join(sorted(DEVICES))
            raise CaseError(f"`{format_probe(probe)}` names no device that swallows what it gets", cure=f"name {known}")


def _paths(probe: Probe) -> Iterator[str]:
    yield probe.path
    if probe.operation in WITH_OTHER - {"symlink"}:
        yield probe.other


def _stays(path: str, tree: Tree) -> bool:
    """Tell whether a path leads into the farm as built, or to nothing at all and is spelled within it."""
    spelling = spelled_at(path, tree.farm)
    found = resolve(tree, spelling)
    if found.error == "outside":
        return False
    real = found.real or found.creatable or posixpath.normpath(spelling)
    return path.startswith("./") or real.startswith(f"{tree.farm}/")


def _check_movable_links(case: Case, tree: Tree, probes: list[Probe]) -> None:
    """Refuse links that lead outside, now or from another folder, where probes can make or move them."""
    made = [(probe.other, probe.path) for probe in probes if probe.operation == "symlink"]
    there = [(entry.text, entry.path) for entry in case.topology if isinstance(entry, Link)]
    moved_to = [path for probe in probes if probe.operation in _MOVING for path in (probe.path, probe.other)]
    for text, path in (*made, *there):
        if not _text_stays(text, min(map(_depth, (path, *moved_to))), tree):
            raise CaseError(
                f"the link '{escape(path)}' could lead outside the farm once probes make or move it",
                cause=f"its text is '{escape(text)}'",
                cure="begin the text with {farm}, or let it climb no further than the farm",
            )


def _depth(path: str) -> int:
    """Return how many folders of the farm a path written relative to it lies in, 0 for any other spelling."""
    return path.count("/") if ".." not in path and not path.startswith(("/", FARM)) else 0


def _text_stays(text: str, depth: int, tree: Tree) -> bool:
    """Tell whether a link text leads into the farm's base folder from a folder `depth` levels below the farm."""
    if UP in text or text.startswith(("/", FARM)):
        target = posixpath.normpath(f"/{tree.expand(text, '/').lstrip('./')}")
        return f"{target}/".startswith(f"{tree.farm}/")
    # one step up from the farm itself is the base folder, which is the suite's own
    return text.split("/").count("..") <= depth + 1
