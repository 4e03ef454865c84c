# SPDX-License-Identifier: MIT
"""When a helper may refuse a policy instead of running the command: only where a requirement says so."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from attrs import frozen

from boxproof.model.access import Meaning, Named, is_below
from boxproof.model.case import Level
from boxproof.model.outcome import LaunchOutcome
from boxproof.model.policy import spelled_at
from boxproof.model.resolve import resolve

_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]{0,199}")
_MANY: Final = 1000
_NOISE: Final = re.compile(r"//|/\./|(^|/)\.\.(/|$)|/\.?$")


@frozen
class Refusals:
    """Why a refusal is allowed.

    Args:
        words: the reasons, for a report; empty where none is.
    """

    words: tuple[str, ...]

    @property
    def outcomes(self) -> frozenset[LaunchOutcome]:
        """``refused`` where there is a reason for it."""
        return frozenset({"refused"}) if self.words else frozenset()


def refusals(meaning: Meaning, strength: Level) -> Refusals:
    """Return every reason for which this policy may be refused; a SHOULD admits fewer."""
    words = list(_of_policy(meaning, strength))
    for named in meaning.named:
        words += _of_spelling(named, meaning)
        words += _of_nowhere(named, meaning, strength)
    return Refusals(tuple(dict.fromkeys(words)))


def _of_policy(meaning: Meaning, strength: Level) -> Iterator[str]:
    if len(meaning.named) >= _MANY and strength != "SHOULD":
        yield f"there are {_MANY} rules or more (START-5)"
    if meaning.conflicts():
        yield "one object has different access by two spellings (BIND-4)"
    denied = [named.real for named in meaning.named if named.rule.access == "deny" and named.real]
    allowed = [named.real for named in meaning.named if named.rule.access != "deny" and named.real]
    if any(is_below(real, folder) for real in allowed for folder in denied):
        yield "an allow lies below a deny (NEST-2)"
    cwd = resolve(meaning.tree, spelled_at(meaning.policy.cwd, meaning.tree.farm))
    if cwd.error or cwd.node != "folder" or meaning.plain.of(cwd.real) in {"deny", "hidden"}:
        yield "the working folder is not shown, or is no folder (BIND-6)"


def _of_spelling(named: Named, meaning: Meaning) -> Iterator[str]:
    if meaning.rewritable(named):
        yield "a rule crosses a link that the command could re-point (MASK-5)"
    if named.spelling != "/" and _NOISE.search(named.spelling):
        yield "a spelling holds '//', '.', '..' or a slash at its end (BIND-7)"
    if not all(map(_PLAIN_NAME.fullmatch, (*_names(named.spelling), *_names(named.real)))):
        yield "a name holds characters that a helper may refuse (NAME-1)"
    if named.rule.access == "deny" and (named.found.node in {"socket", "fifo"} or _is_special(named, meaning)):
        yield "a helper need not be able to deny this object (MASK-8)"


def _of_nowhere(named: Named, meaning: Meaning, strength: Level) -> Iterator[str]:
    if not named.found.error or named.found.error == "outside":
        return
    access = named.rule.access
    if access == "rw" and strength != "SHOULD":
        yield "an rw rule leads nowhere (START-3)"
    if access == "deny" and named.found.error == "ENOENT" and not named.found.links:
        if meaning.plain.of(named.found.searched[-1]) == "rw" and strength != "SHOULD":
            yield "a denied name that does not exist could be made by the command (MASK-4)"
    elif access == "deny" and _inside_writable(named, meaning):
        yield "a deny leads nowhere in a writable folder (MASK-4)"
    if named.found.error == "EACCES" and _inside_writable(named, meaning):
        yield "the command could open the folder that hides the rule's object (START-2)"


def _inside_writable(named: Named, meaning: Meaning) -> bool:
    places = (*named.found.searched, *map(posixpath.dirname, named.found.links))
    return any(meaning.plain.of(folder) == "rw" for folder in places)


def _is_special(named: Named, meaning: Meaning) -> bool:
    return named.found.error == "outside" or (bool(named.real) and is_below(meaning.tree.farm, named.real))


def _names(spelling: str) -> Iterator[str]:
    return (name for name in spelling.split("/") if name)
