# SPDX-License-Identifier: MIT
"""Whether a failing case shows a bug that is known already, so that the next one is not hidden behind it.

A known minimal case is a pattern: accesses, ways of spelling, and how the objects lie to each other. Where a new case
holds the pattern, the rules that make the known case fail are repaired in it; if it passes then, it was the known bug.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from attrs import evolve, frozen

from boxproof.model.access import Meaning, Named, is_below
from boxproof.model.case import Case
from boxproof.model.moved import within
from boxproof.model.names import FARM
from boxproof.model.policy import Rule, spelled_at
from boxproof.model.resolve import Resolution, Tree, resolve
from boxproof.model.topology import Dir, File, Link
from boxproof.reducing.minimise import Fails

Relation: TypeAlias = Literal["same", "above", "below", "apart"]

_MATCHES: Final = 500
"""Ways to find a pattern in a case that are looked at."""
_PLAINER_THAN: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {"real": frozenset({"real", "link", "absolute", "noise"}), "link": frozenset({"link", "absolute"})}
)


@frozen
class Role:
    """What a rule of a minimal case does in it.

    Args:
        access: what the rule grants.
        spelled: how: by the ``real`` path, through a ``link``, through an ``absolute`` link, with ``noise``, or by a
            spelling that leads ``nowhere``.
    """

    access: str
    spelled: Literal["real", "link", "absolute", "noise", "nowhere"]

    def covers(self, other: Role) -> bool:
        """Tell whether a rule with the role `other` can take this one's place: what failed plainly fails anyhow."""
        return self.access == other.access and other.spelled in _PLAINER_THAN.get(self.spelled, {self.spelled})


def explained_by(known: Case, case: Case, fails: Fails) -> bool:
    """Tell whether `case` fails because of the bug that `known` shows, and of no other.

    Args:
        known: a minimal failing case of the same requirement and kind.
        case: a failing case.
        fails: whether a case fails in that way; asked once, and once more for each rule that was repaired.
    """
    repaired = repairs(known, case)
    return bool(repaired) and not any(map(fails, repaired))


def repairs(known: Case, case: Case) -> tuple[Case, ...]:
    """Return `case` without what makes `known` fail, in each way that tells; nothing where it does not hold that.

    First, rules that are spelled in another way than by the real path are re-spelled so; where the known case has
    none, the narrowest rule is dropped. Then, where it takes several rules to fail, each of the re-spelled ones as it
    was and without the others: what fails with it alone is another bug.
    """
    pattern, meaning = _meaning(known), _meaning(case)
    matches = list(_matches(pattern, meaning)) if _features(known) <= _features(case) else []
    if not matches:
        return ()
    needed = _needed(pattern)
    guilty = {match[number] for match in matches for number in needed}
    respell = any(_role(pattern.named[number], pattern).spelled != "real" for number in needed)
    repaired = _repaired(case, meaning, guilty, respell=respell)
    if _cwd_role(pattern) == _cwd_role(meaning):
        repaired = _with_real_cwd(repaired, meaning)
    held = {number for match in matches for number in match}
    alone = [_without(case, held - {number}) for number in sorted(guilty)] if respell and len(pattern.named) > 1 else []
    return (repaired, *alone) if repaired != case else ()


def beyond_repair(known: Case, case: Case) -> bool:
    """Tell whether `known` fails without any rule, so that `case` fails whatever its policy says."""
    pattern = _meaning(known)
    return not pattern.named and not _cwd_role(pattern) and _features(known) <= _features(case)


def _meaning(case: Case) -> Meaning:
    return Meaning(Tree(case.topology), case.policy)


def _features(case: Case) -> frozenset[str]:
    """Return what a tree holds beside folders, files and links that lead somewhere."""
    tree = Tree(case.topology)
    plain = {f"{tree.farm}/{entry.path}" for entry in case.topology if isinstance(entry, Dir | File | Link)}
    kinds = {type(entry).__name__ for entry in case.topology if f"{tree.farm}/{entry.path}" not in plain}
    links = (link for link, node in tree.nodes.items() if node.kind == "link")
    return frozenset(kinds | {resolve(tree, link).error for link in links} - {""})


def _matches(pattern: Meaning, meaning: Meaning) -> Iterator[Sequence[int]]:
    """Iterate over the rules of a case, by number, that can stand for those of the pattern."""
    roles = [_role(named, pattern) for named in pattern.named]
    offers = [_role(named, meaning) for named in meaning.named]
    for numbers in islice(permutations(range(len(offers)), len(roles)), _MATCHES):
        fits = all(role.covers(offers[number]) for role, number in zip(roles, numbers, strict=True))
        if fits and _lie_alike(pattern.named, [meaning.named[number] for number in numbers]):
            yield numbers


def _lie_alike(pattern: Sequence[Named], found: Sequence[Named]) -> bool:
    """Tell whether objects lie to each other as the pattern's do; where those lie apart, anything will do."""
    for one in range(len(pattern)):
        for other in range(one):
            wanted = _relation(pattern[one].real, pattern[other].real)
            if wanted not in {"apart", _relation(found[one].real, found[other].real)}:
                return False
    return True


def _relation(one: str, other: str) -> Relation:
    if not one or not other:
        return "apart"
    if one == other:
        return "same"
    if is_below(one, other):
        return "below"
    return "above" if is_below(other, one) else "apart"


def _role(named: Named, meaning: Meaning) -> Role:
    return Role(named.rule.access, _way(named.rule.spelling, named.found, meaning.tree))


def _way(spelling: str, found: Resolution, tree: Tree) -> Literal["real", "link", "absolute", "noise", "nowhere"]:
    inside = within(tree, found.real)
    if found.error:
        return "nowhere"
    if found.links:
        return "absolute" if any(tree.nodes[link].text.startswith("/") for link in found.links) else "link"
    return "real" if spelled_at(spelling, tree.farm) == found.real or inside == spelling else "noise"


def _cwd_role(meaning: Meaning) -> str:
    spelling = spelled_at(meaning.policy.cwd, meaning.tree.farm)
    way = _way(meaning.policy.cwd, resolve(meaning.tree, spelling), meaning.tree)
    return "" if way == "real" else way


def _needed(pattern: Meaning) -> Sequence[int]:
    """Return the numbers of the rules to repair: those not spelled by the real path, else the narrowest one."""
    otherwise = [number for number, named in enumerate(pattern.named) if _role(named, pattern).spelled != "real"]
    if otherwise or not pattern.named or _cwd_role(pattern):
        return otherwise
    return [max(range(len(pattern.named)), key=lambda number: (pattern.named[number].real.count("/"), number))]


def _without(case: Case, numbers: set[int]) -> Case:
    rules = tuple(rule for number, rule in enumerate(case.policy.rules) if number not in numbers)
    return evolve(case, policy=evolve(case.policy, rules=rules))


def _repaired(case: Case, meaning: Meaning, guilty: set[int], *, respell: bool) -> Case:
    rules = []
    for number, named in enumerate(meaning.named):
        if number not in guilty:
            rules.append(named.rule)
        elif respell and named.found.real:
            rules.append(Rule(named.rule.access, _real(meaning.tree, named.found.real)))
    return evolve(case, policy=evolve(case.policy, rules=tuple(rules)))


def _with_real_cwd(case: Case, meaning: Meaning) -> Case:
    real = resolve(meaning.tree, spelled_at(case.policy.cwd, meaning.tree.farm)).real
    return evolve(case, policy=evolve(case.policy, cwd=_real(meaning.tree, real))) if real else case


def _real(tree: Tree, real: str) -> str:
    inside = within(tree, real)
    return real if inside is None else inside or FARM
