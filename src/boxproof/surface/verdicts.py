# SPDX-License-Identifier: MIT
"""Our verdicts in pytest's terms."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import frozen

from boxproof.model.outcome import Verdict
from boxproof.model.result import Result
from boxproof.surface.options import Options


class NotJudged(Exception):  # noqa: N818 - the base of verdicts, which are no errors of this program
    """A verdict that is no pass; its text is what the user reads."""


class CaseFailed(NotJudged):
    """The helper does not do what the requirement says."""


class CaseAdvice(NotJudged):
    """The helper does not do what the requirement says, at a level that this run does not require."""


class CaseExpected(NotJudged):
    """The helper fails as the baseline says."""


class CaseTrouble(NotJudged):
    """The suite itself could not do its work; never blamed on the helper."""


@frozen
class Judged:
    """One result with the words for it.

    Args:
        result: what goes into reports.
        row: the same as plain JSON types, and the words, fit to travel between processes.
        text: the failure in words, or ``""``.
    """

    result: Result
    row: dict[str, Any]
    text: str = ""


def raise_for(judged: Judged, options: Options) -> None:
    """Raise what the verdict means to pytest; return for a pass."""
    result = judged.result
    match result.verdict:
        case Verdict.PASS:
            return
        case Verdict.NOT_APPLICABLE:
            pytest.skip(f"not applicable: {result.reason}")
        case Verdict.ERROR:
            raise CaseTrouble(f"error, and so no verdict on the helper: {result.reason}")
        case Verdict.EXPECTED_FAIL:
            raise CaseExpected(result.reason)
        case Verdict.UNEXPECTED_PASS:
            raise CaseFailed(judged.text)
        case _ if result.level == "MUST" or (result.level == "SHOULD" and options.strict):
            raise CaseFailed(judged.text)
        case _:
            raise CaseAdvice(judged.text)


def fill_report(report: pytest.TestReport, call: pytest.CallInfo[None], row: dict[str, Any] | None) -> None:
    """Attach the result to pytest's report, and show advice and what the baseline lists as expected failures."""
    if row is None or call.when != "call":
        return
    # reports take attributes, and xdist carries those of plain types from its workers
    vars(report)["boxproof"] = row
    told = call.excinfo.value if call.excinfo else None
    if isinstance(told, CaseAdvice | CaseExpected):
        report.outcome = "skipped"
        not_required = f"{row['level']} not met, and not required: {_kinds(row)}"
        report.wasxfail = not_required if isinstance(told, CaseAdvice) else str(told)


def _kinds(row: dict[str, Any]) -> str:
    return ", ".join(dict.fromkeys(finding["kind"] for finding in row["findings"]))


def status_of(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Return pytest's category, letter and word for our verdicts that pytest has none for, else ``None``."""
    row: dict[str, Any] | None = getattr(report, "boxproof", None)
    if row is None or report.when != "call" or row["verdict"] != Verdict.ERROR.value:
        return None
    return "error", "E", "ERROR"
