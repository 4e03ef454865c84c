# SPDX-License-Identifier: MIT
"""Which paths of a farm are names of one file: its hard links, and where second mounts show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from boxproof.model.resolve import Tree
from boxproof.model.topology import File, HardLink


def inodes(tree: Tree) -> Mapping[str, tuple[str, ...]]:
    """Return the names of each file by the canonical path of its first; that one comes first."""
    groups: dict[str, list[str]] = {}
    first_of: dict[str, str] = {}
    for entry in tree.topology:
        path = f"{tree.farm}/{entry.path}"
        if isinstance(entry, File):
            first_of[path] = path
        elif isinstance(entry, HardLink):
            first_of[path] = first_of[f"{tree.farm}/{entry.of}"]
        else:
            continue
        groups.setdefault(first_of[path], []).extend((path, *_twins(path, tree)))
    return {first: tuple(names) for first, names in groups.items()}


def _twins(path: str, tree: Tree) -> Iterator[str]:
    """Iterate over the other paths at which second mounts of a folder show `path`."""
    for mount in tree.topology.mounts:
        inside = f"{tree.farm}/{mount.of}/"
        twin = f"{tree.farm}/{mount.path}/{path.removeprefix(inside)}"
        if mount.kind == "bind" and path.startswith(inside) and twin in tree.nodes:
            yield twin
