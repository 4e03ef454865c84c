# SPDX-License-Identifier: MIT
"""A report in GitHub's Markdown: for a step summary, and for pasting into an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from boxproof.model.requirement import Requirement
from boxproof.model.result import Result
from boxproof.report.exhibit import failure_words
from boxproof.report.failure import PRIVATE
from boxproof.report.json import Report
from boxproof.report.matrix import LETTERS, MEANS, Cell, Table, gist, is_security, tables
from boxproof.report.visible import visible

SIZE: Final = 60_000
"""Characters: an issue takes 65,536, a step summary far more."""
_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>&|~@#$]|(?<=www)[.]|:(?=//|[\w+-]+:)")
"""What means something within a line, to Markdown, to HTML, or to GitHub, which links names and addresses."""
_LINKING: Final = "@#"
_SHORT: Final = 300


def markdown(report: Report, contract: Mapping[str, Requirement]) -> str:
    """Return the report, its failures in full as far as they fit into an issue.

    Args:
        report: the run.
        contract: the requirements by id.
    """
    found = tables(report, contract)
    wrong = [result for table in found for row in table.rows.values() for cell in row if cell for result in cell.wrong]
    text = "\n".join(chain(_head(report), *(_table(table, several=len(found) > 1) for table in found)))
    blocks: list[str] = []
    for number, result in enumerate(wrong):
        block = _failure(result, contract)
        if len(text) + sum(map(len, blocks)) + len(block) > SIZE:
            blocks.append(f"\n{len(wrong) - number} more are in the JSON report.\n")
            break
        blocks.append(block)
    return f"{text}\n{''.join(blocks)}"


def escaped(text: str) -> str:
    """Return text of strangers for the middle of a line, so that it formats, links and mentions nothing.

    By entities alone, since those hold within HTML too. GitHub looks for mentions after them: a space of no width parts
    the sign from the name.
    """
    line = " ".join(visible(text).split())
    return _SPECIAL.sub(lambda found: _entity(found.group()), line)


def _entity(character: str) -> str:
    return f"&#{ord(character)};" + ("&#8203;" if character in _LINKING else "")


def fenced(text: str) -> str:
    """Return text of strangers as a block of code that nothing in it can end."""
    shown = visible(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{shown}\n{fence}\n"


def _head(report: Report) -> Iterator[str]:
    run, host = report.run, report.host
    helpers = ", ".join(escaped(helper.name) for helper in report.helpers) or "no helper"
    yield f"## Boxproof: {helpers}: profile {run.profile} {'met' if run.met else 'not met'}\n"
    yield from _list([escaped(reason) for reason in run.unmet])
    yield from _list([escaped(note) for note in run.notes])
    for helper in report.helpers:
        yield f"- {escaped(helper.name)}: sha256 {escaped(helper.sha256[:16])}, adapter {escaped(helper.adapter)}"
    bwrap = f"{host.bwrap.version} (links: {host.bwrap.link_class})" if host.bwrap else "not on PATH"
    words = f"kernel {host.kernel}, {host.distribution}, Landlock ABI {host.landlock_abi or 'none'}, bwrap {bwrap}"
    yield f"- {escaped(words)}, boxproof {escaped(run.suite)}, {escaped(run.started)}\n"


def _list(items: Sequence[str]) -> Iterator[str]:
    shown = items[:20]
    yield from (f"- {item}" for item in shown)
    if len(items) > len(shown):
        yield f"- and {len(items) - len(shown)} more"
    if items:
        yield ""


def _table(table: Table, *, several: bool) -> Iterator[str]:
    apart = " Counts of different evidence are not added up." if several else ""
    yield f"### Evidence: {table.evidence}\n\nEach of these was {MEANS[table.evidence]}.{apart}\n"
    names = [
        escaped(column.helper) + (f" on {escaped(column.ground)}" if table.grounds > 1 else "")
        for column in table.columns
    ]
    rows = [["requirement", *names], *([name, *map(_cell, cells)] for name, cells in table.rows.items())]
    # what is longer goes down: a page is narrow, and there are many layouts
    head, *body = rows if len(table.columns) <= len(table.rows) else zip(*rows, strict=True)
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in body)
    used = {cell.verdict for row in table.rows.values() for cell in row if cell}
    yield "\n" + ", ".join(
        f"{escaped(letter)} {verdict.value}" for verdict, letter in LETTERS.items() if verdict in used
    )
    yield ""


def _cell(cell: Cell | None) -> str:
    return f"{escaped(cell.letter)} {cell.number}/{len(cell.results)}" if cell else " "


def _failure(result: Result, contract: Mapping[str, Requirement]) -> str:
    title = f"{result.verdict.value} {result.id} ({result.level}): {result.helper} on {result.ground}"
    lines = [f"\n<details><summary>{escaped(title)}</summary>\n"]
    lines += [f"Found: {escaped(gist(result)[:_SHORT])}\n"]
    lines += [f"**{PRIVATE}**\n"] if is_security(result) else []
    return "\n".join([*lines, f"{fenced(failure_words(result, contract))}\n</details>\n"])
