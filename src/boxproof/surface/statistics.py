# SPDX-License-Identifier: MIT
"""What the generated cases of a run were like: counts by class, for ``--boxproof-stats``."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pytest
from attrs import define, field

CLASSES: Final = "classes"
"""Key in a row under which a generated item counts the classes of its examples."""


@define(eq=False)
class Statistics:
    """Adds up the counts of all items, those of xdist's workers too."""

    counts: Counter[str] = field(factory=Counter)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take over what comes with pytest's report of an item."""
        row: dict[str, Any] = getattr(report, "boxproof", None) or {}
        self.counts.update(row.get(CLASSES, {}))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the counts, most frequent first."""
        if self.counts:
            terminalreporter.section("generated cases by link, access, nesting and spelling")
            for name, count in sorted(self.counts.items(), key=lambda item: (-item[1], item[0])):
                terminalreporter.write_line(f"{count:7} {name}")
