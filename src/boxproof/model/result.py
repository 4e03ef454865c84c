# SPDX-License-Identifier: MIT
"""One row of a report: a case, a helper, a ground, and the verdict."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from attrs import frozen

from boxproof.model.case import Level
from boxproof.model.outcome import Finding, Verdict

Evidence: TypeAlias = Literal["host", "image", "layout"]
"""What a verdict stands on: this machine, a distribution's image, or a replica of a distribution's names and links."""
EVIDENCE: Final[tuple[Evidence, ...]] = get_args(Evidence)


@frozen
class Result:
    """What a report says of one case under one helper.

    Args:
        id: as selected with ``-k``, such as ``MASK-2[alias-pair-absolute-file]``.
        case: the case's own id.
        launch: what became of the (first) launch: ``ran``, ``refused``, or the kind of its failure.
        reason: why a case is not applicable, or what the suite's own trouble was.
        launches: how many times the helper was started for it.
        seconds: wall time of the whole case.
        case_file: where the failing case was written, relative to the working folder, or ``None``.
        replay: one command line that runs this case alone again.
    """

    id: str
    case: str
    requirement: str
    level: Level
    helper: str
    ground: str
    evidence: Evidence
    condition: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    launch: str = ""
    launches: int = 0
    seconds: float = 0.0
    case_file: str | None = None
    replay: str = ""
