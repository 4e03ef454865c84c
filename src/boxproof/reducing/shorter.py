# SPDX-License-Identifier: MIT
"""Steps that move and rename entries; everything that leads to them is changed with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from types import MappingProxyType
from typing import Final

from boxproof.errors import CaseError
from boxproof.model.case import Case
from boxproof.model.moved import Move, moved, within
from boxproof.model.policy import spelled_at
from boxproof.model.resolve import Resolution, Tree, resolve
from boxproof.model.topology import Dir, Entry, Fifo, File, HardLink, Link, Mount, Socket, parent
from boxproof.reducing.search import Search
from boxproof.reducing.weight import name_weight

_WORDS: Final[Mapping[type[Entry], str]] = MappingProxyType(
    {Dir: "dir", File: "file", Link: "link", HardLink: "hard", Socket: "sock", Fifo: "fifo", Mount: "mnt"}
)


def folders(case: Case) -> Search:
    """Take away folders that no rule and no link leads to, and put what lies in them into the folder around."""
    for path in [entry.path for entry in reversed(case.topology.entries) if isinstance(entry, Dir)]:
        candidate = None if _is_named(case, path) else _same(case, {path: parent(path)})
        if (yield candidate) and candidate is not None:
            case = candidate
    return case


def names(case: Case) -> Search:
    """Give entries short names: all at once, else one by one."""
    short = _short(case)
    for chosen in (short, *({path: name} for path, name in short.items())):
        candidate = _same(case, _renamed(case, chosen))
        if (yield candidate) and candidate is not None:
            return candidate
    return case


def _is_named(case: Case, path: str) -> bool:
    tree = Tree(case.topology)
    links = (link for link, node in tree.nodes.items() if node.kind == "link")
    ends = (resolve(tree, spelled_at(text, tree.farm)).real for text in (*_spelled(case), *links))
    return f"{tree.farm}/{path}" in ends


def _same(case: Case, paths: Mapping[str, str]) -> Case | None:
    """Return the case with entries moved where every rule still means the same, else ``None``."""
    if not paths:
        return None
    try:
        candidate = moved(case, paths)
        old, new = Tree(case.topology), Tree(candidate.topology)
    except CaseError:
        return None
    move = Move(old, paths)
    before = [_placed(resolve(old, spelled_at(text, old.farm)), move) for text in _spelled(case)]
    after = [_placed(resolve(new, spelled_at(text, new.farm)), Move(new, {})) for text in _spelled(candidate)]
    return candidate if before == after else None


def _spelled(case: Case) -> Iterator[str]:
    yield case.policy.cwd
    yield from (rule.spelling for rule in case.policy.rules)


def _placed(found: Resolution, move: Move) -> tuple[object, ...]:
    def new(real: str) -> str | None:
        inside = within(move.tree, real) if real else None
        return real if inside is None else f"{{farm}}/{move.of(inside)}"

    return found.error, found.node, new(found.real), new(found.creatable), tuple(map(new, found.links))


def _short(case: Case) -> Mapping[str, str]:
    """Return a new name for each entry whose name is longer than that."""
    taken = {name for text in _words(case) for name in text.split("/")}
    short = {}
    for entry in case.topology:
        fresh = next(name for name in _numbered(_WORDS[type(entry)]) if name not in taken)
        if name_weight(fresh) < name_weight(entry.path.rpartition("/")[2]):
            taken.add(fresh)
            short[entry.path] = fresh
    return short


def _numbered(word: str) -> Iterator[str]:
    yield word
    yield from (f"{word}{number}" for number in count(2))


def _renamed(case: Case, short: Mapping[str, str]) -> Mapping[str, str]:
    """Return the new path of every entry, folders being renamed on the way, or nothing where no name changes."""
    paths: dict[str, str] = {}
    for entry in case.topology if short else ():
        above, _, name = entry.path.rpartition("/")
        paths[entry.path] = f"{paths.get(above, above)}/{short.get(entry.path, name)}".removeprefix("/")
    return paths


def _words(case: Case) -> Iterator[str]:
    yield from _spelled(case)
    yield from (text for probe in (*case.probes, *case.then) for text in (probe.path, probe.other))
    for entry in case.topology:
        yield entry.path
        if isinstance(entry, Link):
            yield entry.text
