# SPDX-License-Identifier: MIT
"""One case over many versions of a helper: which versions are tried, and where the answer changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from attrs import frozen

from boxproof.model.outcome import Kind, Verdict

FEW: Final = 8
"""Versions up to which all are tried without being asked for: cheaper than an assumption."""
_FAILS: Final = frozenset({Verdict.FAIL, Verdict.FLAKY})


@frozen
class Answer:
    """What became of the case under one version.

    Args:
        verdict: of the case.
        kinds: of its findings, each once.
        evidence: one line: what was seen, or why nothing can be told.
    """

    verdict: Verdict
    kinds: tuple[Kind, ...] = ()
    evidence: str = ""

    @property
    def fails(self) -> bool | None:
        """Whether the case fails, or ``None`` where that cannot be told."""
        if self.verdict in _FAILS:
            return True
        return False if self.verdict is Verdict.PASS else None


Ask: TypeAlias = Callable[[int], Answer]
"""Runs the case under the version with this number."""


@frozen
class Change:
    """Two versions that answer differently, with none between them that can tell.

    Args:
        what: which way.
        after: the number of the earlier one.
        by: the number of the later one.
    """

    what: Literal["broke", "fixed"]
    after: int
    by: int


@frozen
class History:
    """What is known of a case over the versions of a helper.

    Args:
        versions: their names, the oldest first.
        answers: of those that were tried, by number.
    """

    versions: Sequence[str]
    answers: Mapping[int, Answer]

    @property
    def complete(self) -> bool:
        """Whether each version was tried."""
        return len(self.answers) == len(self.versions)

    @property
    def told(self) -> tuple[int, ...]:
        """The versions that can tell, the oldest first."""
        return tuple(number for number in sorted(self.answers) if self.answers[number].fails is not None)

    @property
    def fails(self) -> bool | None:
        """Whether the newest version fails; ``None`` where it cannot tell."""
        return self.answers[len(self.versions) - 1].fails

    @property
    def changes(self) -> tuple[Change, ...]:
        """Where the answer changes, the oldest first."""
        return tuple(self._changes())

    def _changes(self) -> Iterator[Change]:
        for after, by in pairwise(self.told):
            before, now = self.answers[after].fails, self.answers[by].fails
            if before != now:
                yield Change("broke" if now else "fixed", after, by)


def look(versions: Sequence[str], ask: Ask, *, every: bool = False) -> History:
    """Try the case under some of the versions.

    Args:
        versions: their names, the oldest first.
        ask: runs the case under one of them.
        every: whether each is tried, as up to `FEW` are in any case.
    """
    if every or len(versions) <= FEW:
        return History(versions, {number: ask(number) for number in range(len(versions))})
    return History(versions, bisect(len(versions), ask))


def bisect(count: int, ask: Ask) -> dict[int, Answer]:
    """Try the oldest and the newest version, and where they differ halve what lies between until two neighbours do.

    That finds a change, and the only one where the answer changes once: at most 2 + log2(count), rounded up, are tried.
    A version that cannot tell is passed over for the nearest that can.
    """
    answers: dict[int, Answer] = {}

    def first_to_tell(numbers: Iterator[int]) -> int | None:
        for number in numbers:
            if number not in answers:
                answers[number] = ask(number)
                if answers[number].fails is not None:
                    return number
        return None

    low, high = first_to_tell(iter(range(count))), first_to_tell(iter(range(count - 1, -1, -1)))
    while low is not None and high is not None and answers[low].fails != answers[high].fails:
        middle = first_to_tell(_outwards(low, high))
        if middle is None:
            break
        low, high = (middle, high) if answers[middle].fails == answers[low].fails else (low, middle)
    return answers


def _outwards(low: int, high: int) -> Iterator[int]:
    """Iterate over the numbers between two, the middle first."""
    middle = (low + high) // 2
    yield from sorted(range(low + 1, high), key=lambda number: abs(number - middle))
