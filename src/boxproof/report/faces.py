# SPDX-License-Identifier: MIT
"""The forms that a report can be written in, by name and by the file's suffix."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from boxproof.errors import ReportError
from boxproof.model.requirement import Requirement
from boxproof.report.annotations import workflow_commands
from boxproof.report.badge import badge
from boxproof.report.json import Report, json_text, write_text
from boxproof.report.junit import junit
from boxproof.report.markdown import markdown

Face: TypeAlias = Callable[[Report, Mapping[str, Requirement]], str]


def _html(report: Report, contract: Mapping[str, Requirement]) -> str:
    from boxproof.report.html import html  # noqa: PLC0415 - the template engine would cost every start of pytest

    return html(report, contract)


FACES: Final[Mapping[str, Face]] = MappingProxyType(
    {
        "json": lambda report, _: json_text(report),
        "html": _html,
        "md": markdown,
        "xml": junit,
        "badge": lambda report, _: badge(report),
        "annotations": lambda report, _: workflow_commands(report),
    }
)
SUFFIXES: Final = (".json", ".html", ".md", ".xml")
"""Those from which the form is told."""


def write_face(report: Report, contract: Mapping[str, Requirement], path: str) -> None:
    """Write a report in the form that the file's suffix asks for, whole or not at all.

    Raises:
        ReportError: where it cannot be written, or has no such suffix.
    """
    write_text(FACES[form_of(path)](report, contract), path)


def form_of(path: str) -> str:
    """Return the name of the form that a file's suffix asks for.

    Raises:
        ReportError: for another suffix.
    """
    suffix = os.path.splitext(path)[1]
    if suffix not in SUFFIXES:
        raise ReportError(f"'{path}' has no known suffix", cure=f"end it in {', '.join(SUFFIXES)}")
    return suffix.removeprefix(".")
