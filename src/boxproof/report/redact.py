# SPDX-License-Identifier: MIT
"""Names that identify a person or a machine, taken out of what is handed to others.

A name is replaced wherever it stands as a word of its own, so that a user called ``al`` leaves ``also`` alone. In a
case it is replaced everywhere alike, so that the case stays the same case.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from attrs import evolve, field, frozen

from boxproof.model.case import Case
from boxproof.model.names import escape
from boxproof.model.outcome import Finding
from boxproof.model.policy import Policy, Rule
from boxproof.model.probe import Probe
from boxproof.model.topology import Entry, HardLink, Link, Mount
from boxproof.model.tree import format_tree
from boxproof.report.plain import Json, printable

_EVERYBODY: Final = frozenset({"root", "user", "nobody", "boxproof", "host", "localhost", "localdomain", "home", ""})
"""Names that identify nobody."""
_COMMON_HOMES: Final = frozenset({"/", "/root", "/nonexistent", "/home", "/home/user", ""})
_FIXED: Final = frozenset({"verdict", "level", "evidence", "requirement", "kind", "profile", "launch", "link_class"})
"""Keys of a report whose values are words of Boxproof's own."""


@frozen
class Secrets:
    """What must not be read in anything that is handed on.

    Args:
        users: account names.
        hosts: names of the machine.
        homes: home folders.
        places: other folders of this run alone, each with what is written for it.
    """

    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()
    places: Mapping[str, str] = field(factory=dict)

    def redaction(self, case: Case) -> Redaction:
        """Return the replacements for what is written about a case, by words that do not occur in its paths."""
        taken = set(re.findall(r"[A-Za-z0-9]+", "\n".join(_paths(case))))
        user, host = (_free(word, taken) for word in ("user", "host"))
        pairs = {
            **dict(self.places),
            **{home.rstrip("/"): f"/home/{user}" for home in self.homes if home.rstrip("/") not in _COMMON_HOMES},
            **{name: host for name in self.hosts if name not in _EVERYBODY},
            **{name: user for name in self.users if name not in _EVERYBODY},
        }
        return Redaction(pairs)


@frozen(slots=False)
class Redaction:
    """Replacements, made in every kind of text; `pairs` is from a name to what is written in its place."""

    pairs: Mapping[str, str]

    def text(self, text: str) -> str:
        """Return `text` without the names, however it quotes them."""
        return self._pattern.sub(lambda found: self._words[found.group()], text) if self._words else text

    def case(self, case: Case) -> Case:
        """Return the case without the names, every occurrence of one replaced alike."""
        return evolve(
            case,
            id=self.text(case.id),
            title=self.text(case.title),
            topology=evolve(case.topology, entries=tuple(map(self._entry, case.topology))),
            policy=self._policy(case.policy),
            probes=tuple(map(self._probe, case.probes)),
            then=tuple(map(self._probe, case.then)),
            sources=tuple(map(self.text, case.sources)),
        )

    def finding(self, finding: Finding) -> Finding:
        """Return the finding without the names."""
        return evolve(
            finding,
            expected=self.text(finding.expected),
            seen=self.text(finding.seen),
            path=self.text(finding.path),
            detail=self.text(finding.detail),
        )

    def json(self, value: Json) -> Json:
        """Return a report in plain JSON types without the names."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {key: item if key in _FIXED else self.json(item) for key, item in value.items()}
        return value

    @cached_property
    def _words(self) -> Mapping[str, str]:
        return {form: shown for name, shown in self.pairs.items() for form in _forms(name)}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest = sorted(self._words, key=len, reverse=True)
        return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, longest))})(?![A-Za-z0-9])")

    def _entry(self, entry: Entry) -> Entry:
        path = self.text(entry.path)
        match entry:
            case Link(text=text):
                return Link(path, self.text(text))
            case HardLink(of=of):
                return HardLink(path, self.text(of))
            case Mount(of=of):
                return evolve(entry, path=path, of=self.text(of))
        return evolve(entry, path=path)

    def _policy(self, policy: Policy) -> Policy:
        rules = tuple(Rule(rule.access, self.text(rule.spelling)) for rule in policy.rules)
        return evolve(policy, cwd=self.text(policy.cwd), rules=rules)

    def _probe(self, probe: Probe) -> Probe:
        return evolve(probe, path=self.text(probe.path), other=self.text(probe.other))


def _paths(case: Case) -> Iterator[str]:
    yield format_tree(case.topology)
    yield from (case.policy.cwd, *(rule.spelling for rule in case.policy.rules))
    yield from (path for probe in (*case.probes, *case.then) for path in (probe.path, probe.other))


def _free(word: str, taken: Iterable[str]) -> str:
    while word in taken:
        word += "x"
    return word


def _forms(name: str) -> Iterator[str]:
    """Iterate over the ways in which reports, messages and commands write a name."""
    quoted = shlex.quote(name)
    yield from (name, escape(name), printable(name), quoted[1:-1] if quoted != name else name)
