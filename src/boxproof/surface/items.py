# SPDX-License-Identifier: MIT
"""Cases as pytest items: ``conformance/test_mask.py::MASK-2[alias-pair-absolute-file]``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from boxproof.errors import BoxproofError, CaseError, nearest
from boxproof.model.case import Case
from boxproof.model.casefile import load_case
from boxproof.model.containment import check_contained
from boxproof.model.requirement import Contract
from boxproof.model.resolve import Tree
from boxproof.model.suite import CaseSource
from boxproof.surface.engine import ENGINE, Engine, Subject
from boxproof.surface.options import OPTIONS
from boxproof.surface.verdicts import NotJudged, raise_for


class _Described:
    """Something with words of its own where pytest expects a test function's docstring."""

    def __init__(self, statement: str, title: str) -> None:
        self.__doc__ = f"{statement}\n{title}"


class CaseItem(pytest.Item):
    """One case under one helper in one place.

    Args:
        case: what is run.
        subject: the helper that it is run under, and where.
    """

    def __init__(self, *, case: Case, subject: Subject, **rest: Any) -> None:  # noqa: ANN401 - pytest's own keywords
        super().__init__(**rest)
        self.case = case
        self.subject = subject
        self.outcome: dict[str, Any] | None = None
        # what `--collect-only -v` prints below the id
        self.obj = _Described(self.config.stash[ENGINE].contract[case.requirement].statement, case.title)

    def runtest(self) -> None:
        """Run the case and raise what its verdict means to pytest."""
        judged = self.config.stash[ENGINE].judge(self.case, self.subject, self.name)
        self.outcome = judged.row
        raise_for(judged, self.config.stash[OPTIONS])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ANN401
        """Show a verdict as its own words, and anything else as pytest does."""
        if isinstance(excinfo.value, NotJudged):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return what pytest prints above a failure."""
        return self.path, None, self.name


class CaseFile(pytest.File):
    """A recorded case: any case file below ``conformance/cases``, or one that ``--case`` names."""

    def collect(self) -> Iterator[CaseItem]:
        """Read the file; an error in it is one line."""
        yield from items(self, [read_case(self.path)])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ANN401
        """Show what is wrong with the file on one line."""
        del style  # collectors have none
        return str(excinfo.value) if isinstance(excinfo.value, BoxproofError) else super().repr_failure(excinfo)


def read_case(path: Path) -> Case:
    """Read a case file.

    Raises:
        BoxproofError: naming the file, the line and the key.
    """
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise CaseError(f"the case file '{path}' cannot be read", cause=error.strerror or "") from error
    return load_case(text, path.name)


def check_known(case: Case, contract: Contract) -> Case:
    """Return the case.

    Raises:
        CaseError: where no such requirement is known, as with a case of a newer release.
    """
    if case.requirement not in contract:
        raise CaseError(
            f"'{case.requirement}' is no requirement of this contract", cure=nearest(case.requirement, contract)
        )
    return case


def check_runnable(path: Path, contract: Contract) -> None:
    """Refuse a case file that could not be run: of an unknown requirement, or with probes that leave the farm.

    Raises:
        BoxproofError: naming the file.
    """
    case = read_case(path)
    try:
        check_contained(check_known(case, contract), Tree(case.topology).farm)
    except CaseError as error:
        raise CaseError(f"{path.name}: {error}") from error


def items(parent: pytest.Collector, cases: Iterable[Case]) -> Iterator[CaseItem]:
    """Return one item for each case, helper and place that the case is meant for."""
    engine = parent.config.stash[ENGINE]
    for case in cases:
        check_known(case, engine.contract)
        # one that was named and fits no place has to say so
        recorded = engine.helpers if isinstance(parent, CaseFile) else ()
        for subject in engine.subjects_of(case) or recorded:
            yield CaseItem.from_parent(parent, name=item_name(case, subject, engine), case=case, subject=subject)


def item_name(case: Case, subject: Subject, engine: Engine) -> str:
    """Return the id: requirement and case, then the helper and the ground where the run has several of them."""
    helper = f"-{subject.slug}" if len(engine.helpers) > 1 else ""
    ground = f"@{subject.place.name}" if len(engine.options.grounds) > 1 else ""
    return f"{case.requirement}[{case.id}{helper}]{ground}"


def collect_source(collector: pytest.Collector, source: CaseSource) -> list[CaseItem]:
    """Return the items of one function of a conformance module; a mistake in it is one line."""
    try:
        return list(items(collector, source.cases()))
    except BoxproofError as error:
        raise collector.CollectError(str(error)) from error
