# SPDX-License-Identifier: MIT
"""A report as JUnit's XML: a suite for each helper and place, a test case for each row.

The elements are those of the schema that Jenkins publishes (``junit-10.xsd`` of its xUnit plugin), and ``properties``
of a test case, as pytest writes them too, with the requirement, the level and the findings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from xml.etree import ElementTree as ET

from boxproof.model.outcome import Verdict
from boxproof.model.requirement import Requirement
from boxproof.model.result import Result
from boxproof.report.exhibit import failure_words
from boxproof.report.json import Report
from boxproof.report.matrix import Column, gist, kinds
from boxproof.report.visible import visible

_FAILED: Final = frozenset({Verdict.FAIL, Verdict.FLAKY, Verdict.UNEXPECTED_PASS})
_SKIPPED: Final = frozenset({Verdict.NOT_SELECTED, Verdict.NOT_APPLICABLE, Verdict.EXPECTED_FAIL})


def junit(report: Report, contract: Mapping[str, Requirement]) -> str:
    """Return the document; counts of its suites are of one helper in one place each.

    What a run does not require, a SHOULD that failed without ``--strict`` and a RECORD, is skipped with its message.
    """
    root = ET.Element("testsuites", name="boxproof")
    binding = {"MUST", "SHOULD"} if report.run.options.get("strict") else {"MUST"}
    groups: dict[Column, list[Result]] = {}
    for result in report.results:
        groups.setdefault(Column(result.helper, result.ground, result.evidence), []).append(result)
    for column, rows in groups.items():
        root.append(_suite(column, rows, report, [_outcome(row, row.level in binding) for row in rows], contract))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _outcome(result: Result, binding: bool) -> str:  # noqa: FBT001 - a fact about the row, not a switch
    if result.verdict is Verdict.ERROR:
        return "error"
    if result.verdict in _SKIPPED or (result.verdict in _FAILED - {Verdict.UNEXPECTED_PASS} and not binding):
        return "skipped"
    return "failure" if result.verdict in _FAILED else ""


def _suite(
    column: Column, rows: Sequence[Result], report: Report, outcomes: Sequence[str], contract: Mapping[str, Requirement]
) -> ET.Element:
    counts = Counter(outcomes)
    suite = ET.Element(
        "testsuite",
        name=visible(f"{column.helper} on {column.ground}"),
        tests=str(len(rows)),
        failures=str(counts["failure"]),
        errors=str(counts["error"]),
        skipped=str(counts["skipped"]),
        time=f"{sum(row.seconds for row in rows):.3f}",
        timestamp=visible(report.run.started),
    )
    head = {"evidence": column.evidence, "profile": report.run.profile, "suite": report.run.suite}
    head |= next(({"sha256": row.sha256} for row in report.helpers if row.name == column.helper), {})
    suite.append(_properties(head.items()))
    suite.extend(_case(row, outcome, contract) for row, outcome in zip(rows, outcomes, strict=True))
    return suite


def _case(result: Result, outcome: str, contract: Mapping[str, Requirement]) -> ET.Element:
    case = ET.Element(
        "testcase",
        name=visible(result.id),
        classname=visible(f"{result.helper}.{result.ground}.{result.requirement}"),
        time=f"{result.seconds:.3f}",
    )
    case.append(_properties(_facts(result)))
    if outcome:
        told = ET.SubElement(case, outcome, type=", ".join(kinds(result)) or result.verdict.value)
        told.set("message", visible(gist(result)))
        told.text = visible(failure_words(result, contract))
    return case


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    yield from {
        "requirement": result.requirement,
        "level": result.level,
        "verdict": result.verdict.value,
        "evidence": result.evidence,
        "ground": result.ground,
    }.items()
    for key in ("condition", "launch", "case_file", "replay"):
        if value := getattr(result, key):
            yield key, value
    for finding in result.findings:
        where = f" {finding.path}" if finding.path else ""
        yield "finding", f"{finding.kind} [{finding.requirement}]{where}: {finding.expected}; seen {finding.seen}"


def _properties(pairs: Iterable[tuple[str, str]]) -> ET.Element:
    properties = ET.Element("properties")
    for name, value in pairs:
        ET.SubElement(properties, "property", name=name, value=visible(value))
    return properties
