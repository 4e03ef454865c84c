# SPDX-License-Identifier: MIT
"""A failure in words: what a maintainer of the helper reads, without knowing this code."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from attrs import frozen

from boxproof.model.case import Case
from boxproof.model.casefile import dump_case
from boxproof.model.names import escape
from boxproof.model.outcome import SECURITY, Finding
from boxproof.model.policy import format_rule
from boxproof.model.quote import quoted_lines
from boxproof.model.relations import WORDS
from boxproof.model.requirement import Requirement
from boxproof.model.result import CASE_SHOWN
from boxproof.model.tree import format_tree

STDERR_LINES: Final = 8
ENTRIES: Final = 60
RULES: Final = 20
_FINDINGS: Final = 20
_PROBE: Final = "/boxproof-probe"
"""What the compiled probe is called."""
PRIVATE: Final = "this is a security finding: report it to the vendor in private first"


@frozen
class Failure:
    """What the words are made of.

    Args:
        requirement: the requirement under judgement.
        case: the failing case as it was run.
        findings: what is wrong.
        command: the helper's command line, as `command_text` writes it.
        stderr: what the helper wrote there, as `stderr_lines` cuts it.
        note: one more line, such as how many launches failed.
        case_file: the written case file, or ``""``.
        replay: the command that runs this case alone again.
    """

    requirement: Requirement
    case: Case
    findings: tuple[Finding, ...]
    command: str
    stderr: tuple[str, ...]
    note: str = ""
    case_file: str = ""
    replay: str = ""


def failure_text(failure: Failure) -> str:
    """Return the whole text; its last two lines are the case file and the replay command."""
    return "\n".join(_lines(failure))


def _lines(failure: Failure) -> Iterator[str]:
    case = failure.case
    kinds = dict.fromkeys(finding.kind for finding in failure.findings)
    yield f"{', '.join(kinds) or 'flaky'}: {failure.requirement.id} ({case.level}) is not met"
    yield f"requirement: {failure.requirement.statement}"
    yield f"case: {case.title}"
    yield "tree:"
    yield from _tree(case)
    if case.topology.above:
        yield f"above the farm, as {case.layout or 'the case'} has it:"
        yield from (f"    {row}" for row in case.topology.above)
    yield "policy:"
    yield from _policy(case)
    if failure.findings:
        yield "found:"
    for finding in failure.findings[:_FINDINGS]:
        yield from _finding(finding)
    if len(failure.findings) > _FINDINGS:
        yield f"    ... and {len(failure.findings) - _FINDINGS} more findings"
    if failure.note:
        yield failure.note
    yield f"command: {failure.command}"
    if failure.stderr:
        yield "stderr:"
        yield from (f"    {line}" for line in failure.stderr)
    if any(finding.kind in SECURITY for finding in failure.findings):
        yield PRIVATE
    yield f"case file: {failure.case_file or 'not written'}"
    yield f"replay: {failure.replay}"


def _tree(case: Case) -> Iterator[str]:
    lines = format_tree(case.topology).splitlines()
    yield from (f"    {line}" for line in lines[:ENTRIES])
    if len(lines) > ENTRIES:
        yield f"    ... and {len(lines) - ENTRIES} more entries, all in the case file"


def command_text(argv: tuple[str, ...]) -> str:
    """Return the command line up to the probe, whose script would fill a page, and whose arguments are never alike."""
    shown = list(takewhile(lambda argument: "\n" not in argument and not argument.endswith(_PROBE), argv))
    rest = " '...the probe'" if len(shown) < len(argv) else ""
    return (shlex.join(shown) + rest).encode("utf-8", "backslashreplace").decode()


def _policy(case: Case) -> Iterator[str]:
    policy = case.policy
    network = "on" if policy.network else "off"
    yield f"    cwd {escape(policy.cwd)}, reads {policy.reads}, network {network}, temp folder {policy.tmp}"
    yield from (f"    {format_rule(rule)}" for rule in policy.rules[:RULES])
    if case.relation:
        yield f"    must come to the same with {WORDS[case.relation]}"
    if len(policy.rules) > RULES:
        yield f"    ... and {len(policy.rules) - RULES} more rules"


def _finding(finding: Finding) -> Iterator[str]:
    where = f" {finding.path}" if finding.path else ""
    yield f"    {finding.kind} [{finding.requirement}]{where}"
    yield f"        expected: {finding.expected}"
    yield f"        seen:     {finding.seen}"


def shown_case(case: Case) -> str:
    """Return the case as a case file, or nothing where it would fill a page."""
    text = dump_case(case)
    return text if len(text) <= CASE_SHOWN else ""


def stderr_lines(stderr: bytes) -> tuple[str, ...]:
    """Return the first lines of what a helper wrote, fit to be shown."""
    lines = quoted_lines(stderr)
    more = [f"... and {len(lines) - STDERR_LINES} more lines"] if len(lines) > STDERR_LINES else []
    return (*lines[:STDERR_LINES], *more)
