# SPDX-License-Identifier: MIT
"""What one pytest process holds: the helpers under test, the ground, and a runner for each helper."""

from __future__ import annotations

import re
import traceback
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Final

import pytest
from attrs import define, evolve, field, frozen

from boxproof.errors import BoxproofError
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.ground import PATH, Ground
from boxproof.grounds.kit import reference_kit
from boxproof.helpers.base import Adapter, Helper
from boxproof.model.case import Case
from boxproof.model.casefile import dump_case
from boxproof.model.outcome import Judgement, Verdict
from boxproof.model.quote import quoted_lines
from boxproof.model.requirement import Contract
from boxproof.model.result import Result
from boxproof.report.failure import Failure, failure_text
from boxproof.report.json import dict_of_result
from boxproof.runner import Run, Runner
from boxproof.surface.options import Options
from boxproof.surface.replay import replay_command, shown
from boxproof.surface.verdicts import Judged

REFERENCE: Final = "reference"
"""The name under which ``--helper`` takes the bundled helper."""


@frozen
class Subject:
    """One helper under test.

    Args:
        given: as ``--helper`` took it.
        adapter: how it is driven.
        helper: as it was found.
    """

    given: str
    adapter: Adapter
    helper: Helper

    @property
    def slug(self) -> str:
        """The helper's name as ids take it."""
        return re.sub(r"[^a-z0-9.]+", "-", self.helper.name.lower()).strip("-")


@define
class Engine:
    """Judges cases; starts what it needs when the first case comes, and leaves nothing when it is closed.

    Args:
        options: what the user asked for.
        contract: the requirements.
        subjects: the helpers under test.
        program: what the user typed to start the suite, for replay lines.
    """

    options: Options
    contract: Contract
    subjects: tuple[Subject, ...]
    program: str = "pytest"
    _exits: ExitStack = field(factory=ExitStack, init=False)
    _runners: dict[str, Runner] = field(factory=dict, init=False)

    def judge(self, case: Case, subject: Subject, name: str) -> Judged:
        """Run a case under a helper and return the verdict with the words for it; trouble of ours is a verdict too."""
        try:
            run = self._runner(subject).run(case, self.options.repeat)
        except BoxproofError as error:
            run = Run(case, Judgement(Verdict.ERROR, reason=str(error)))
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this case's verdict, not the report
            reason = " | ".join(quoted_lines(traceback.format_exc().encode("utf-8", "backslashreplace")))
            run = Run(case, Judgement(Verdict.ERROR, reason=f"{type(error).__name__} in the suite itself: {reason}"))
        return self._judged(run, subject, name)

    def close(self) -> None:
        """End everything and remove every file."""
        self._runners.clear()
        self._exits.close()

    @cached_property
    def ground(self) -> Ground:
        """Where cases are run."""
        user = launch_user("root" if self.options.as_root else "user")
        place = str(self.options.farm_root or "")
        return self._exits.enter_context(Ground(user, place))

    def _runner(self, subject: Subject) -> Runner:
        if subject.slug not in self._runners:
            helper = self._within_reach(subject)
            self._runners[subject.slug] = Runner(self.ground, subject.adapter, helper, self.options.timeout)
        return self._runners[subject.slug]

    def _within_reach(self, subject: Subject) -> Helper:
        """Return the helper as launches start it: the bundled one from a copy that every user can execute."""
        helper, user = subject.helper, self.ground.user
        if subject.given != REFERENCE:
            return helper
        return evolve(helper, path=str(reference_kit(self.ground.kit, Path(helper.path).parent, user, PATH)))

    def _judged(self, run: Run, subject: Subject, name: str) -> Judged:
        failed = run.judgement.verdict in {Verdict.FAIL, Verdict.FLAKY}
        case_file, trouble = self._write_case(run.case, subject) if failed else (None, "")
        replay = replay_command(self.program, case_file, subject.given, self.options) if case_file else ""
        result = Result(
            id=name,
            case=run.case.id,
            requirement=run.case.requirement,
            level=run.case.level,
            helper=subject.helper.name,
            ground=self.ground.name,
            evidence="host",
            condition="",
            verdict=run.judgement.verdict,
            findings=run.judgement.findings,
            reason=run.judgement.reason or trouble,
            launch=run.judgement.launch,
            launches=run.launches,
            seconds=round(run.seconds, 4),
            case_file=shown(case_file) if case_file else None,
            replay=replay,
        )
        text = self._text(run, result) if failed else ""
        return Judged(result, {**dict_of_result(result), "text": text}, text)

    def _text(self, run: Run, result: Result) -> str:
        return failure_text(
            Failure(
                requirement=self.contract[run.case.requirement],
                case=run.case,
                findings=run.judgement.findings,
                command=run.seen.argv if run.seen else (),
                stderr=run.seen.launch.stderr if run.seen else b"",
                note=result.reason,
                case_file=result.case_file or "",
                replay=result.replay,
            )
        )

    def _write_case(self, case: Case, subject: Subject) -> tuple[Path | None, str]:
        """Write a failing case and return its path, or why it is not written: a full disk costs no verdict."""
        path = self.options.cases_out / f"{case.requirement.lower()}-{case.id}-{subject.slug}" / "case.toml"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(dump_case(case).encode("utf-8", "surrogateescape"))
        except OSError as error:
            return None, f"the case file cannot be written: {error.strerror}"
        return path, ""


ENGINE: Final = pytest.StashKey[Engine]()
