# SPDX-License-Identifier: MIT
"""A report as workflow commands of GitHub Actions, which show as annotations of the run.

The form is that of the runner: ``::error title=TITLE::MESSAGE``, with ``%``, line ends, and in a title ``:`` and ``,``,
written as in an address.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from boxproof.model.outcome import Verdict
from boxproof.model.result import Result
from boxproof.report.failure import PRIVATE
from boxproof.report.json import Report
from boxproof.report.matrix import WRONG, gist, is_security
from boxproof.report.visible import visible

SHOWN: Final = 10
"""GitHub shows ten annotations of each kind for a step."""


def workflow_commands(report: Report) -> str:
    """Return one line for each row that went wrong: errors for what counts, warnings for the rest, notices for known.

    Of each kind the last line says how many there are where not all are shown.
    """
    words: dict[str, list[Result]] = {"error": [], "warning": [], "notice": []}
    for result in report.results:
        if result.verdict in WRONG:
            words[_command(result, strict=bool(report.run.options.get("strict")))].append(result)
    return "".join(f"{line}\n" for command, rows in words.items() for line in _lines(command, rows))


def _lines(command: str, rows: list[Result]) -> Iterator[str]:
    shown = rows if len(rows) <= SHOWN else rows[: SHOWN - 1]
    for result in shown:
        title = f"{result.id} {result.verdict.value}: {result.helper} on {result.ground}"
        advice = f" ({PRIVATE})" if is_security(result) else ""
        yield f"::{command} title={_property(title)}::{_data(gist(result) + advice)}"
    if len(rows) > len(shown):
        yield f"::{command} title=boxproof::{len(rows) - len(shown)} more"


def _command(result: Result, *, strict: bool) -> str:
    if result.verdict is Verdict.EXPECTED_FAIL:
        return "notice"
    judged = result.verdict in {Verdict.ERROR, Verdict.UNEXPECTED_PASS}
    binding = result.level == "MUST" or (strict and result.level == "SHOULD")
    return "error" if judged or binding else "warning"


def _data(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
