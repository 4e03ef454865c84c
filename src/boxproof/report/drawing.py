# SPDX-License-Identifier: MIT
"""A case's tree as it is drawn: one line an entry, beside it the rules that act on it and what was found there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from boxproof.errors import BoxproofError
from boxproof.model.case import Case
from boxproof.model.names import escape, unescape
from boxproof.model.outcome import Finding
from boxproof.model.policy import format_rule, spelled_at
from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import Topology, parent
from boxproof.model.tree import format_tree
from boxproof.report.failure import ENTRIES


@frozen
class Line:
    """One line of the drawing.

    Args:
        branch: the lines that lead to the entry, such as ``│   └── ``.
        name: its last component, a folder's with ``/`` at its end.
        what: a link's text, a mode, ``file``, as the tree notation has it.
        rules: those that act on it, each as it is written, with the name it is spelled by where that is another.
        kinds: of the findings about it.
    """

    branch: str
    name: str
    what: str
    rules: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@frozen
class Drawing:
    """A tree as lines.

    Args:
        lines: at most `ENTRIES`, and the farm itself.
        more: entries that are not drawn.
        elsewhere: rules that act on no line of it: beyond the farm, or on nothing.
    """

    lines: tuple[Line, ...]
    more: int
    elsewhere: tuple[str, ...]


def draw(case: Case, findings: Iterable[Finding]) -> Drawing:
    """Draw the tree of a case."""
    tree = Tree(case.topology)
    rules: dict[str, list[str]] = {}
    for rule in case.policy.rules:
        place = _place(tree, rule.spelling)
        rules.setdefault(place, []).append(_worded(format_rule(rule), rule.spelling, place))
    kinds: dict[str, dict[str, None]] = {}
    for finding in findings:
        if finding.path:
            kinds.setdefault(_found(tree, finding.path), {})[finding.kind] = None
    lines = [Line("", "{farm}/", "", tuple(rules.get("", ())), tuple(kinds.get("", ())))]
    lines += _lines(case.topology, rules, kinds)
    drawn = {"", *_shown(case.topology)}
    return Drawing(
        lines=tuple(lines),
        more=max(0, len(case.topology.entries) - ENTRIES),
        elsewhere=tuple(text for place, texts in rules.items() if place not in drawn for text in texts),
    )


def _shown(topology: Topology) -> list[str]:
    """Return the first entries' paths, each folder's entries below it."""
    children: dict[str, list[str]] = {}
    for entry in topology.entries[:ENTRIES]:
        children.setdefault(parent(entry.path), []).append(entry.path)
    ordered, stack = [], children.get("", [])[::-1]
    while stack:
        path = stack.pop()
        ordered.append(path)
        stack += children.get(path, [])[::-1]
    return ordered


def _lines(
    topology: Topology, rules: Mapping[str, Sequence[str]], kinds: Mapping[str, Mapping[str, None]]
) -> Iterator[Line]:
    written = dict(zip((entry.path for entry in topology), format_tree(topology).splitlines(), strict=True))
    shown = _shown(topology)
    last = {parent(path): path for path in shown}
    for path in shown:
        words = written[path].split(" ", 1)
        yield Line(
            branch=_branch(path, last),
            name=words[0].rstrip("/").rpartition("/")[2] + ("/" if words[0].endswith("/") else ""),
            what=words[1].strip() if len(words) > 1 else "",
            rules=tuple(rules.get(path, ())),
            kinds=tuple(kinds.get(path, ())),
        )


def _branch(path: str, last: Mapping[str, str]) -> str:
    pieces = ["└── " if last[parent(path)] == path else "├── "]
    while path := parent(path):
        pieces.append("    " if last[parent(path)] == path else "│   ")
    return "".join(reversed(pieces))


def _place(tree: Tree, spelling: str) -> str:
    """Return the path in the farm that a spelling leads to, else the path as it is spelled."""
    found = resolve(tree, spelled_at(spelling, tree.farm))
    real = found.real or found.creatable
    if real == tree.farm:
        return ""
    return real.removeprefix(f"{tree.farm}/") if real else spelling


def _found(tree: Tree, path: str) -> str:
    try:
        return _place(tree, unescape(path))
    except BoxproofError:
        # a path outside the notation, such as one of the host
        return path


def _worded(text: str, spelling: str, place: str) -> str:
    plain = spelling.removeprefix("{farm}/")
    return text if plain in {place, place or "."} else f"{text} → {escape(place) or 'the farm'}"
