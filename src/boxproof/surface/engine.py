# SPDX-License-Identifier: MIT
"""What one pytest process holds: the helpers under test, the ground, and a runner for each helper."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

import pytest
from attrs import define, evolve, field, frozen

from boxproof.errors import BoxproofError
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.container.place import ContainerPlace
from boxproof.grounds.ground import Ground
from boxproof.grounds.kit import Bundled
from boxproof.grounds.place import HOST, Place
from boxproof.helpers.base import Adapter, Helper
from boxproof.helpers.registry import KNOWN_BAD, is_bundled
from boxproof.model.baseline import Baseline
from boxproof.model.case import Case
from boxproof.model.outcome import Judgement, Verdict
from boxproof.model.quote import quoted_lines
from boxproof.model.requirement import Contract
from boxproof.model.result import Result, Shown
from boxproof.report.failure import Failure, command_text, failure_text, shown_case, stderr_lines
from boxproof.report.json import dict_of_result
from boxproof.runner import Run, Runner
from boxproof.surface.attachments import CASE, Failed, Head, write_attachments
from boxproof.surface.baseline import Listing, listing
from boxproof.surface.options import Options
from boxproof.surface.related import Related
from boxproof.surface.replay import replay_command, shown
from boxproof.surface.verdicts import Judged


@frozen
class Subject:
    """One helper under test in one place.

    Args:
        given: as ``--helper`` took it.
        adapter: how it is driven.
        helper: as it was found.
        place: where it is run.
    """

    given: str
    adapter: Adapter
    helper: Helper
    place: Place = HOST

    @property
    def slug(self) -> str:
        """The helper's name as ids take it."""
        return re.sub(r"[^a-z0-9.]+", "-", self.helper.name.lower()).strip("-")

    @property
    def key(self) -> str:
        """What no other helper or place has."""
        return f"{self.slug}@{self.place.name}"


@define
class Engine:
    """Judges cases; starts what it needs when the first case comes, and leaves nothing when it is closed.

    Args:
        options: what the user asked for.
        contract: the requirements.
        subjects: the helpers under test, each in every place.
        program: what the user typed to start the suite, for replay lines.
        baseline: failures that are known.
    """

    options: Options
    contract: Contract
    subjects: tuple[Subject, ...]
    program: str = "pytest"
    baseline: Baseline = field(factory=Baseline)
    _today: date = field(factory=lambda: datetime.now(UTC).date(), init=False)
    _exits: ExitStack = field(factory=ExitStack, init=False)
    _grounds: dict[str, Ground] = field(factory=dict, init=False)
    _runners: dict[str, Related] = field(factory=dict, init=False)
    _heads: dict[str, Head] = field(factory=dict, init=False)

    def subjects_of(self, case: Case) -> tuple[Subject, ...]:
        """Return the helpers and places that a case is meant for.

        A case about a layout is meant for places that show it, one about a lacking host for places that can simulate
        it. Any other is run wherever the user asked for; without that, on the host.
        """
        fit = [subject for subject in self.subjects if subject.place.simulates or not case.condition]
        if case.layout:
            return tuple(subject for subject in fit if subject.place.layout == case.layout)
        asked = bool(self.options.grounds)
        return tuple(subject for subject in fit if asked or subject.place is HOST)

    def judge(self, case: Case, subject: Subject, name: str) -> Judged:
        """Run a case under a helper and return the verdict with the words for it; trouble of ours is a verdict too."""
        judged = self.judged(self.run(case, subject, self.options.repeat), subject, name)
        return self.listing(subject).judged(judged)

    def listing(self, subject: Subject) -> Listing:
        """Return what is known of a helper."""
        return listing(self.baseline, subject.adapter, subject.helper, self._today)

    def run(self, case: Case, subject: Subject, repeat: int = 1) -> Run:
        """Run a case under a helper, with trouble of ours as a verdict."""
        return safely(lambda: self.runner(subject).run(case, repeat), case)

    def close(self) -> None:
        """End everything and remove every file."""
        self._runners.clear()
        self._grounds.clear()
        self._exits.close()

    @cached_property
    def helpers(self) -> tuple[Subject, ...]:
        """Each helper once, wherever it is run."""
        return tuple({subject.slug: subject for subject in reversed(self.subjects)}.values())[::-1]

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where cases are run, in the user's order."""
        return tuple({subject.place.name: subject.place for subject in self.subjects}.values())

    @cached_property
    def bare(self) -> Ground:
        """This host before anything is made on it."""
        user = launch_user("root" if self.options.as_root else "user")
        return Ground(user, str(self.options.farm_root or ""))

    @cached_property
    def host(self) -> Ground:
        """This host, whose folder for farms every ground but a container's shares."""
        return self._exits.enter_context(self.bare)

    def ground(self, place: Place) -> Ground:
        """Return the ground of a place, entered."""
        if place is HOST:
            return self.host
        if place.name not in self._grounds:
            host = self.bare if isinstance(place, ContainerPlace) else self.host
            self._grounds[place.name] = self._exits.enter_context(place.ground(host))
        return self._grounds[place.name]

    def runner(self, subject: Subject) -> Related:
        """Return what runs cases under a helper in its place."""
        if subject.key not in self._runners:
            ground = self.ground(subject.place)
            helper = self._within_reach(subject)
            self._runners[subject.key] = Related(Runner(ground, subject.adapter, helper, self.options.timeout))
        return self._runners[subject.key]

    def _within_reach(self, subject: Subject) -> Helper:
        """Return the helper as launches start it: a bundled one from a copy that every user can execute."""
        bundled = None
        if is_bundled(subject.given):
            bundled = Bundled(Path(subject.helper.path).parents[1], subject.given.partition(KNOWN_BAD)[2])
        return self.ground(subject.place).within_reach(subject.helper, bundled)

    def judged(self, run: Run, subject: Subject, name: str) -> Judged:
        """Return the result of a run with the words for it; what a reporter attaches is written for a failure."""
        failed = run.judgement.verdict in {Verdict.FAIL, Verdict.FLAKY}
        case_file = self._folder(run.case, subject) / CASE if failed else None
        replay = (
            replay_command(self.program, case_file, subject.given, self.options, subject.place) if case_file else ""
        )
        result = Result(
            id=name,
            case=run.case.id,
            requirement=run.case.requirement,
            level=run.case.level,
            helper=subject.helper.name,
            ground=subject.place.name,
            evidence=subject.place.evidence,
            condition=run.case.condition,
            verdict=run.judgement.verdict,
            findings=run.judgement.findings,
            reason=run.judgement.reason,
            exempt=run.judgement.exempt,
            launch=run.judgement.launch,
            launches=run.launches,
            seconds=round(run.seconds, 4),
            case_file=shown(case_file) if case_file else None,
            replay=replay,
            shown=_shown(run, str(self.host.base)) if failed else None,
        )
        if failed and (trouble := self._attach(run, result, subject)):
            result = evolve(result, case_file=None, replay="", reason=result.reason or trouble)
        text = self._text(run, result) if failed else ""
        return Judged(result, {**dict_of_result(result), "text": text}, text)

    def _text(self, run: Run, result: Result) -> str:
        return failure_text(
            Failure(
                requirement=self.contract[run.case.requirement],
                case=run.case,
                findings=run.judgement.findings,
                command=command_text(run.seen.argv if run.seen else ()),
                stderr=stderr_lines(run.seen.launch.stderr if run.seen else b""),
                note=result.reason,
                case_file=result.case_file or "",
                replay=result.replay,
            )
        )

    def _folder(self, case: Case, subject: Subject) -> Path:
        at = "" if subject.place is HOST else f"-{subject.place.name}"
        return self.options.cases_out / f"{case.requirement.lower()}-{case.id}-{subject.slug}{at}"

    def _attach(self, run: Run, result: Result, subject: Subject) -> str:
        """Write what a reporter attaches; return why the case file is not there: a full disk costs no verdict."""
        failed = Failed(
            case=run.case,
            result=result,
            adapter=subject.adapter,
            helper=subject.helper,
            launched=run.seen is not None,
            order=_order(run),
            statement=self.contract[run.case.requirement].statement,
            seconds=self.options.timeout,
            farm=str(self.ground(subject.place).base),
        )
        try:
            write_attachments(self._folder(run.case, subject), failed, lambda: self._head(subject))
        except OSError as error:
            return f"the case file cannot be written: {error.strerror}"
        return ""

    def _head(self, subject: Subject) -> Head:
        """Return the head of a report on one helper; host and helper are looked at once."""
        from boxproof.surface import facts  # noqa: PLC0415 - which reads engines

        if subject.key not in self._heads:
            run = facts.run_of(self.options, datetime.now(UTC), 0.0, met=False)
            rows = tuple(row for row in facts.helper_rows(self) if row.name == subject.helper.name)
            grounds = facts.ground_rows(self, (subject.place,))
            self._heads[subject.key] = Head(run, facts.ask_host(self), rows, grounds)
        return self._heads[subject.key]


def safely(run: Callable[[], Run], case: Case) -> Run:
    """Run a case, and return trouble of the suite's own as a verdict: it costs this case, not the report."""
    try:
        return run()
    except BoxproofError as error:
        return Run(case, Judgement(Verdict.ERROR, reason=str(error)))
    except Exception as error:  # noqa: BLE001 - whatever it is, the report goes on
        reason = " | ".join(quoted_lines(traceback.format_exc().encode("utf-8", "backslashreplace")))
        return Run(case, Judgement(Verdict.ERROR, reason=f"{type(error).__name__} in the suite itself: {reason}"))


def _shown(run: Run, base: str) -> Shown:
    """Return what a row shows, without the name of the farm's folder: two runs are to say the same, and it is gone."""
    argv, stderr = (run.seen.argv, run.seen.launch.stderr) if run.seen else ((), b"")
    command = command_text(argv).replace(base, "{base}")
    return Shown(shown_case(run.case), command, tuple(line.replace(base, "{base}") for line in stderr_lines(stderr)))


def _order(run: Run) -> Literal["given", "reversed", "either"]:
    """Return the order of the rules in which the fault was found: the reverse one is tried after the given one."""
    if not run.case.reorder or run.launches <= run.repeats:
        return "given"
    return "either" if run.judgement.verdict is Verdict.FLAKY else "reversed"


ENGINE: Final = pytest.StashKey[Engine]()
