# SPDX-License-Identifier: MIT
"""Collects the results of a run, those of xdist's workers too; writes reports and sets the exit status."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, field

from boxproof.errors import BoxproofError
from boxproof.grounds.place import HOST
from boxproof.model.levels import profile_met
from boxproof.model.outcome import Verdict
from boxproof.model.requirement import Contract
from boxproof.model.result import Result
from boxproof.report.faces import write_face
from boxproof.report.json import Report, result_from_dict
from boxproof.surface.baseline import KNOWN
from boxproof.surface.engine import Engine
from boxproof.surface.facts import ask_host, ground_rows, helper_rows, run_of
from boxproof.surface.items import CaseItem
from boxproof.surface.setup import suite_root
from boxproof.surface.summary import distinct_bugs, known_failures, notes, of_helper

COLLECTED = "boxproof_collected"
"""Key under which a worker of xdist tells the controller which cases there are, each as its requirement and id."""


@define(eq=False)
class Session:
    """One run, registered as a plugin of its own so that its hooks have a place for what they collect.

    Args:
        engine: what judges.
        config: pytest's.
    """

    engine: Engine
    config: pytest.Config
    results: list[Result] = field(factory=list)
    advice: list[tuple[str, str]] = field(factory=list)
    known: Counter[str] = field(factory=Counter)
    collected: set[tuple[str, str]] = field(factory=set)
    met: bool = False
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    _started: datetime = field(factory=lambda: datetime.now(UTC))
    _clock: float = field(factory=time.monotonic)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the result that comes with pytest's report of a case."""
        row: dict[str, Any] | None = getattr(report, "boxproof", None)
        if row is not None:
            self.results.append(result_from_dict(row))
            self.known.update(row.get(KNOWN, ()))
            told = hasattr(report, "wasxfail") and row["text"]
            self.advice += [(report.nodeid, row["text"])] if told else []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note which cases there are before anything is deselected."""
        self.collected |= {(item.case.requirement, item.case.id) for item in items if isinstance(item, CaseItem)}

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:  # noqa: ANN401 - xdist has no types
        """Take over what a worker has noted."""
        self.collected |= set(map(tuple, getattr(node, "workeroutput", {}).get(COLLECTED, ())))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide whether the profile is met, write the reports, and end everything."""
        self.engine.close()
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput[COLLECTED] = sorted(map(list, self.collected))
            return
        if self.config.option.collectonly or not (self.collected or self.results):
            return
        self.results.sort(key=lambda result: (result.helper, result.ground, result.id))
        self._decide(session)
        self.notes = tuple(notes(self.engine, set() if self._partial() else self.collected))
        for path in self.engine.options.reports:
            self._write(path, session)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what the run says of each helper."""
        if self.advice:
            terminalreporter.section("not met, and not required")
            for name, text in self.advice:
                terminalreporter.write_sep("_", name.rpartition("::")[2])
                terminalreporter.write_line(text)
        for title, lines in (
            ("distinct bugs of generated cases", distinct_bugs(self.results)),
            ("known failures", known_failures(self.engine.baseline, self.known)),
            ("boxproof", self._summary() if self.results else ()),
        ):
            self._print(terminalreporter, title, lines)

    @property
    def requirements(self) -> set[str]:
        """The requirements that have cases."""
        return {requirement for requirement, _ in self.collected}

    def _print(self, terminal: pytest.TerminalReporter, title: str, lines: Iterable[str]) -> None:
        for number, line in enumerate(lines):
            if number == 0:
                terminal.section(title)
            terminal.write_line(line)

    def _decide(self, session: pytest.Session) -> None:
        options = self.engine.options
        partial = self._partial()
        asked = {result.requirement for result in self.results} if partial else self.requirements
        contract = Contract(tuple(row for row in self.engine.contract.requirements if row.id in asked))
        self.met, self.reasons = profile_met(
            options.profile, contract, self.results, partial=partial, strict=options.strict
        )
        judged = any(result.verdict not in {Verdict.NOT_APPLICABLE, Verdict.ERROR} for result in self.results)
        fine = self.met or (partial and judged)
        if self._shard:
            # whether the profile is met is for `boxproof merge` to say; here only what failed counts
            self.met, self.reasons, fine = False, (f"only shard {self._shard} was run",), True
        if session.exitstatus == pytest.ExitCode.OK and not fine:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @property
    def _shard(self) -> str:
        number, of = self.engine.options.shard
        return f"{number}/{of}" if of > 1 else ""

    def _partial(self) -> bool:
        """Tell whether the user selected a part of the suite, so that no profile is judged."""
        option = self.config.option
        selected = bool(self.engine.options.cases or option.keyword or option.markexpr or option.collectonly)
        whole = {suite_root(), suite_root() / "conformance"}
        places = {Path(str(argument)).resolve() for argument in self.config.args}
        return selected or (self.config.args_source.name == "ARGS" and not places & whole)

    def _write(self, path: Path, session: pytest.Session) -> None:
        seconds = time.monotonic() - self._clock
        try:
            report = Report(
                run=evolve(
                    run_of(self.engine.options, self._started, seconds, met=self.met, unmet=self.reasons),
                    notes=self.notes,
                    shard=self._shard,
                    partial=self._partial(),
                    requirements=tuple(sorted(self.requirements)),
                ),
                host=ask_host(self.engine),
                helpers=helper_rows(self.engine),
                results=tuple(self.results),
                grounds=ground_rows(self.engine, self.engine.places),
            )
            write_face(report, self.engine.contract, str(path))
        except BoxproofError as error:
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            self.reasons = (*self.reasons, str(error))

    def _summary(self) -> list[str]:
        lines: list[str] = []
        apart = any(result.ground != HOST.name for result in self.results)
        for name in (subject.helper.name for subject in self.engine.helpers):
            rows = (row for place in self.engine.places for row in self.results if row.ground == place.name)
            lines += of_helper([row for row in rows if row.helper == name], name, apart=apart)
        profile = self.engine.options.profile.name
        lines.append(f"profile {profile}: {'met' if self.met else 'not met'}")
        lines += [f"  {reason}" for reason in self.reasons]
        lines += self.notes
        without = [name for name in self.engine.contract if name not in self.requirements]
        if without and not self._partial():
            lines.append(f"no cases yet, and so not judged: {', '.join(without)}")
        return lines
