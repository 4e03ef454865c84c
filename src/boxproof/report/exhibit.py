# SPDX-License-Identifier: MIT
"""What there is to see of one failing row, read from the row alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from boxproof.errors import BoxproofError
from boxproof.model.case import Case
from boxproof.model.casefile import load_case
from boxproof.model.names import escape
from boxproof.model.outcome import Finding
from boxproof.model.policy import format_rule
from boxproof.model.relations import WORDS
from boxproof.model.requirement import Requirement
from boxproof.model.result import Result, Shown, SmallestCase
from boxproof.report.drawing import Drawing, draw
from boxproof.report.failure import RULES, Failure, failure_text

_PUBLIC: Final = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*/[\w.-]+)#(?P<number>[0-9]+)")
_ADVISORY: Final = re.compile(r"GHSA(-[0-9a-z]{4}){3}")


@frozen
class Source:
    """A public report; `address` is empty where the text gives none."""

    text: str
    address: str


@frozen
class Exhibit:
    """One failing case.

    Args:
        title: the case's, or that of the bug it stands for.
        case: the case, or ``None`` where the row does not hold it.
        drawing: its tree.
        terms: what the policy says beside its rules.
        rules: the first ones as written.
        more_rules: how many there are beyond those.
        command: the helper's command line.
        stderr: first lines.
        case_file: where the case was written, or ``""``.
        replay: the command that runs it again.
        known: the reason in the baseline, or ``""``.
    """

    title: str
    case: Case | None
    drawing: Drawing | None
    terms: str
    rules: tuple[str, ...]
    more_rules: int
    command: str
    stderr: tuple[str, ...]
    case_file: str
    replay: str
    known: str = ""

    @property
    def above(self) -> tuple[str, ...]:
        """What the case needs at absolute paths above its farm."""
        return tuple(map(str, self.case.topology.above)) if self.case else ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """Public reports of the case's own."""
        return tuple(map(source, self.case.sources)) if self.case else ()


def exhibits(result: Result) -> Iterator[Exhibit]:
    """Iterate over what a row shows: one case, or one for each bug of a generated item."""
    if result.shown:
        yield _exhibit("", result.shown, result.findings, result)
    for number, bug in enumerate(result.bugs, start=1):
        title = f"bug {number} of {len(result.bugs)}: {', '.join(bug.kinds)}, in {bug.examples} examples"
        yield _exhibit(title, Shown(bug.case, bug.command, bug.stderr), (), bug)


def failure_words(result: Result, contract: Mapping[str, Requirement]) -> str:
    """Return the words that the terminal had for a row, as far as it holds them, else what is wrong in short."""
    shown, requirement = result.shown, contract.get(result.requirement)
    case = _case(shown.case) if shown else None
    if shown is None or case is None or requirement is None or not result.findings:
        lines = [f"{each.kind} {each.path}: expected {each.expected}; seen {each.seen}" for each in result.findings]
        lines += [result.reason] if result.reason else []
        lines += [f"case file: {result.case_file}", f"replay: {result.replay}"] if result.replay else []
        return "\n".join(lines)
    return failure_text(
        Failure(
            requirement=requirement,
            case=case,
            findings=result.findings,
            command=shown.command,
            stderr=shown.stderr,
            note=result.reason,
            case_file=result.case_file or "",
            replay=result.replay,
        )
    )


def source(text: str) -> Source:
    """Return a public report with its address, where its text has the form of one."""
    if found := _PUBLIC.fullmatch(text):
        return Source(text, f"https://github.com/{found['name']}/issues/{found['number']}")
    return Source(text, f"https://github.com/advisories/{text}" if _ADVISORY.fullmatch(text) else "")


def _case(text: str) -> Case | None:
    try:
        return load_case(text, "case") if text else None
    except BoxproofError:
        # of a later version, or with names replaced so that it is no case any more
        return None


def _exhibit(title: str, shown: Shown, findings: Sequence[Finding], row: Result | SmallestCase) -> Exhibit:
    case = _case(shown.case)
    rules = case.policy.rules if case else ()
    return Exhibit(
        title=title or (case.title if case else ""),
        case=case,
        drawing=draw(case, findings) if case else None,
        terms=_terms(case) if case else "",
        rules=tuple(map(format_rule, rules[:RULES])),
        more_rules=max(0, len(rules) - RULES),
        command=shown.command,
        stderr=shown.stderr,
        case_file=row.case_file or "",
        replay=row.replay,
        known=row.known if isinstance(row, SmallestCase) else "",
    )


def _terms(case: Case) -> str:
    policy = case.policy
    network = "on" if policy.network else "off"
    terms = f"cwd {escape(policy.cwd)}, reads {policy.reads}, network {network}, temp folder {policy.tmp}"
    return terms + (f"; must come to the same with {WORDS[case.relation]}" if case.relation else "")
