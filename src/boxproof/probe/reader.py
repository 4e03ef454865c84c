# SPDX-License-Identifier: MIT
"""What the probe said, out of a stream in which the helper, the command or an attacker may have said things too."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from attrs import frozen

_MEANING: Final[Mapping[bytes, bool | None]] = MappingProxyType({b"ok": True, b"no": False, b"unable": None})

_LINE: Final = re.compile(rb"(?:begin (\d{1,9})|(\d{1,9}) (ok|no|unable)(?: ([ -~]*))?|(end))\n")
"""A line of the probe after its nonce."""


@frozen
class Answer:
    """What came of one question.

    Args:
        ok: whether it could be done; none where the probe has no means to try.
        payload: of a ``read`` the first line, of a ``list`` the number of names, of a ``stat`` the kind; where it could
            not be done, a word or an errno number.
    """

    ok: bool | None
    payload: str = ""


@frozen
class ProbeReport:
    """What one probe said.

    Args:
        began: its first line was there, with the right count.
        finished: its last line was there, and an answer to every question.
        answers: by the question's index, from 0.
        repeated: questions with more than one answer, of which the first counts.
        extra: what else was on stdout.
    """

    began: bool
    finished: bool
    answers: Mapping[int, Answer]
    repeated: frozenset[int]
    extra: bytes


def read_report(stdout: bytes, nonce: str, count: int) -> ProbeReport:
    """Read the report of a probe that was asked `count` questions.

    Only whole lines that begin with the nonce are the probe's. Junk, a cut line, and lines with another nonce or with
    an index out of range are extra; a line that junk runs into without a line feed still counts.
    """
    found = [(at, match) for at, match in _lines(stdout, nonce) if match[2] is None or int(match[2]) < count]
    lines = [match for _, match in found]
    said = [(int(line[2]), Answer(_MEANING[line[3]], (line[4] or b"").decode())) for line in lines if line[2]]
    answers = dict(reversed(said))
    return ProbeReport(
        began=any(line[1] and int(line[1]) == count for line in lines),
        finished=any(line[5] for line in lines) and len(answers) == count,
        answers=MappingProxyType({index: answers[index] for index in sorted(answers)}),
        repeated=frozenset(index for index, times in Counter(index for index, _ in said).items() if times > 1),
        extra=b"".join(_between(stdout, found)),
    )


def _lines(stdout: bytes, nonce: str) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Iterate over the probe's lines: where each begins, and what comes after the nonce."""
    mark, start = f"{nonce} ".encode(), 0
    while (at := stdout.find(mark, start)) >= 0:
        match = _LINE.match(stdout, at + len(mark))
        if match:
            yield at, match
        start = match.end() if match else at + 1


def _between(stdout: bytes, found: Iterable[tuple[int, re.Match[bytes]]]) -> Iterator[bytes]:
    start = 0
    for at, match in found:
        yield stdout[start:at]
        start = match.end()
    yield stdout[start:]
