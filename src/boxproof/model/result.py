# SPDX-License-Identifier: MIT
"""One row of a report: a case, a helper, a ground, and the verdict."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from attrs import frozen

from boxproof.model.case import Level
from boxproof.model.outcome import Finding, Kind, Verdict

Evidence: TypeAlias = Literal["host", "image", "layout"]
"""What a verdict stands on: this machine, a distribution's image, or a replica of a distribution's names and links."""
EVIDENCE: Final[tuple[Evidence, ...]] = get_args(Evidence)
CASE_SHOWN: Final = 20_000
"""Characters of a case in a row: a farm of thousands of entries is in its case file alone."""


@frozen
class Shown:
    """What a failing row has for readers, no more than the terminal showed.

    Args:
        case: the case as it was run, as a case file; ``""`` where it is longer than `CASE_SHOWN`.
        command: the helper's command line, up to the probe.
        stderr: the first lines of what the helper wrote there.
    """

    case: str
    command: str
    stderr: tuple[str, ...] = ()


@frozen
class SmallestCase:
    """One bug of a generated item, by the smallest case that shows it.

    Args:
        fingerprint: the same for two cases that differ only in names and in the requirement that they judge.
        kinds: of its findings.
        examples: how many examples show it.
        case: a case file, as text.
        flaky: whether it comes and goes.
        known: the reason in the baseline, ``""`` where it is not listed.
        case_file: as in a result.
        replay: as in a result.
        command: the helper's command line, up to the probe.
        stderr: the first lines of what the helper wrote there.
    """

    fingerprint: str
    kinds: tuple[Kind, ...]
    examples: int
    case: str
    flaky: bool = False
    known: str = ""
    case_file: str | None = None
    replay: str = ""
    command: str = ""
    stderr: tuple[str, ...] = ()


@frozen
class Result:
    """What a report says of one case under one helper.

    Args:
        id: as selected with ``-k``, such as ``MASK-2[alias-pair-absolute-file]``.
        case: the case's own id.
        launch: what became of the (first) launch: ``ran``, ``refused``, or the kind of its failure.
        reason: why a case is not applicable, why a failure is expected, what the suite's own trouble was, or how a
            lacking host was taken.
        exempt: not applicable, because the requirement asks nothing of this helper.
        launches: how many times the helper was started for it.
        seconds: wall time of the whole case.
        case_file: where the failing case was written, relative to the working folder, or ``None``.
        replay: one command line that runs this case alone again.
        bugs: of a generated item, one for each distinct bug.
        shown: what a failing row has for readers; a generated item has it in its bugs.
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
    exempt: bool = False
    launch: str = ""
    launches: int = 0
    seconds: float = 0.0
    case_file: str | None = None
    replay: str = ""
    bugs: tuple[SmallestCase, ...] = ()
    shown: Shown | None = None
