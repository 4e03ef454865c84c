# SPDX-License-Identifier: MIT
"""A report as the JSON that a shields.io endpoint badge is made of (https://shields.io/badges/endpoint-badge)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Final

from boxproof.model.outcome import Verdict
from boxproof.model.result import EVIDENCE, Result
from boxproof.report.json import Report
from boxproof.report.visible import visible

SCHEMA_VERSION: Final = 1
_TOLD: Final = (Verdict.FAIL, Verdict.FLAKY, Verdict.UNEXPECTED_PASS, Verdict.ERROR)


def badge(report: Report) -> str:
    """Return the badge: whether the profile is met, else what went wrong by the strongest evidence in the run."""
    run = report.run
    message, colour = ("met", "brightgreen") if run.met else (_failures(report), "red")
    if run.partial or run.shard:
        message, colour = f"part of the suite: {_failures(report)}", "lightgrey"
    label = f"boxproof {run.profile}"
    shown = {"schemaVersion": SCHEMA_VERSION, "label": label, "message": visible(message), "color": colour}
    return json.dumps(shown, indent=1) + "\n"


def _failures(report: Report) -> str:
    kinds = {result.evidence for result in report.results}
    strongest = next((evidence for evidence in EVIDENCE if evidence in kinds), EVIDENCE[0])
    own = (result for result in report.results if result.evidence == strongest)
    counts = Counter(result.verdict for result in own if _counts(result, strict=bool(report.run.options.get("strict"))))
    words = [f"{counts[verdict]} {verdict.value}" for verdict in _TOLD if counts[verdict]]
    where = "" if strongest == "host" else f" in {strongest}s"
    return ", ".join(words) + where if words else "not met"


def _counts(result: Result, *, strict: bool) -> bool:
    """Tell whether a verdict is held against the profile; those on the baseline and the suite are at every level."""
    binding = result.level == "MUST" or (strict and result.level == "SHOULD")
    return binding or result.verdict not in {Verdict.FAIL, Verdict.FLAKY}
