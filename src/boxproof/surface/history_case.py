# SPDX-License-Identifier: MIT
"""A case by what a user calls it: the path of its file, or its id in the suite."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import define, field

from boxproof.errors import CaseError, nearest
from boxproof.model.case import Case
from boxproof.surface.items import CaseItem, check_known, read_case
from boxproof.surface.setup import apart, read_contract, suite_root


@define(eq=False)
class _Collected:
    """Keeps what pytest collects, as a plugin."""

    cases: list[Case] = field(factory=list)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take the cases of the items."""
        self.cases += [item.case for item in session.items if isinstance(item, CaseItem)]


def find_case(given: str) -> Case:
    """Return the case of a file, or the one of the suite with an id such as ``MASK-2[alias-pair-relative-file]``.

    Raises:
        BoxproofError: for a file that is no case, and for what is neither a file nor an id.
    """
    if given.endswith(".toml") or os.path.exists(given):
        return check_known(read_case(Path(given)), read_contract())
    cases = _suite()
    found = [case for case in cases if given in {case.name, case.id}]
    if not found:
        raise CaseError(f"'{given}' is neither a file nor a case", cure=nearest(given, _ids(cases), otherwise=_CURE))
    if len(found) > 1:
        raise CaseError(f"'{given}' is the id of {len(found)} cases", cure=f"write {' or '.join(_ids(found))}")
    return found[0]


def _suite() -> Sequence[Case]:
    """Return the cases of the suite, as pytest collects them."""
    collected = _Collected()
    asked = ["-p", "no:terminal", "--collect-only", "--profile=all", str(suite_root() / "conformance")]
    pytest.main([*apart(), *asked], plugins=[collected])
    return collected.cases


def _ids(cases: Sequence[Case]) -> list[str]:
    return [case.name for case in cases]


_CURE = "pytest --collect-only -q shows the ids"
