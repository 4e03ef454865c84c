# SPDX-License-Identifier: MIT
"""To which classes a case belongs: for each rule, the shape of its links, its access, its nesting and its spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias, get_args

from boxproof.model.access import Meaning, Named, is_below
from boxproof.model.names import UP
from boxproof.model.policy import Policy
from boxproof.model.resolve import Tree
from boxproof.model.topology import Link, Topology

Shape: TypeAlias = Literal["no link", "absolute", "relative", "surplus", "chain", "mixed chain", "linked parent"]
Nesting: TypeAlias = Literal["alone", "same", "in ro", "in rw", "in deny"]
Spelling: TypeAlias = Literal["plain", "slash", "dot", "up", "odd", "nowhere"]

SHAPES: Final[tuple[Shape, ...]] = get_args(Shape)
NESTINGS: Final[tuple[Nesting, ...]] = get_args(Nesting)
SPELLINGS: Final[tuple[Spelling, ...]] = get_args(Spelling)

_ODD: Final = re.compile(r"[^A-Za-z0-9_.{}/-]|(^|/)-")
_CHAIN: Final = 2


def classes(topology: Topology, policy: Policy) -> Iterator[str]:
    """Iterate over the classes of all rules, each as ``SHAPE / ACCESS / NESTING / SPELLING``."""
    meaning = Meaning(Tree(topology), policy)
    for named in meaning.named:
        words = (_shape(named, meaning.tree), named.rule.access, _nesting(named, meaning.named), _spelling(named))
        yield " / ".join(words)


def _shape(named: Named, tree: Tree) -> Shape:
    links = named.found.links
    if not links:
        return "no link"
    forms = [_form(link, tree) for link in links]
    if len(links) >= _CHAIN:
        return "chain" if len(set(forms)) == 1 else "mixed chain"
    # the link is the whole spelling, or a beginning of it
    return forms[0] if named.spelling.rstrip("/") == links[0] else "linked parent"


def _form(link: str, tree: Tree) -> Shape:
    entry = tree.topology.by_path[link.removeprefix(f"{tree.farm}/")]
    text = entry.text if isinstance(entry, Link) else ""
    if text.startswith(UP):
        return "surplus"
    return "absolute" if text.startswith(("/", "{")) else "relative"


def _nesting(named: Named, rules: Sequence[Named]) -> Nesting:
    """Return how the rule's object lies to those of others: the nearest folder with a rule decides."""
    if not named.real:
        return "alone"
    if sum(other.real == named.real for other in rules) > 1:
        return "same"
    around = [other for other in rules if other.real and is_below(named.real, other.real)]
    if not around:
        return "alone"
    match max(around, key=lambda other: len(other.real)).rule.access:
        case "ro":
            return "in ro"
        case "rw":
            return "in rw"
        case _:
            return "in deny"


def _spelling(named: Named) -> Spelling:
    spelling = named.rule.spelling
    if not named.found.real and not spelling.endswith(("/", "/.")):
        return "nowhere"
    if "/../" in f"/{spelling}/":
        return "up"
    if "/./" in f"/{spelling}/":
        return "dot"
    if "//" in spelling or spelling.endswith("/"):
        return "slash"
    return "odd" if _ODD.search(spelling) else "plain"
