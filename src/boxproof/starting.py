# SPDX-License-Identifier: MIT
"""One launch of a case, with the helper or without it, as an `Observation`."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from attrs import define, evolve, field, frozen

from boxproof.asking import leads, questions, start_folder
from boxproof.farm import Farm
from boxproof.grounds.command import Command
from boxproof.grounds.given import ALONE, PLAIN, Attendance, Given
from boxproof.grounds.ground import Ground, Site
from boxproof.grounds.launched import OUTPUT_BOUND, Launch
from boxproof.grounds.simulated import Simulated
from boxproof.grounds.wire import JSON
from boxproof.helpers.base import Adapter, Helper, Invocation, Places
from boxproof.helpers.spoil import spoilt
from boxproof.lacking import make_ready
from boxproof.model.case import Case
from boxproof.observation import Observation
from boxproof.probe.command import process_command
from boxproof.probe.facts import read_facts
from boxproof.probe.reader import read_report
from boxproof.snapshot import Snapshot

_CONTROL_SECONDS: Final = 20.0
_ASKS_PREFLIGHT: Final = "FALL-5"
_STDOUT: Final = 1


@frozen
class Start:
    """How a launch differs from a plain one.

    Args:
        steps: what the command does, in the words of ``process.sh``; none for the probe alone.
        arguments: what it is to say that it was given.
        instead: a command in the place of the probe.
        also: questions to the probe after those of the case.
        facts: the nonce of what the command says of itself.
        given: what the caller leaves.
        passes: descriptors that it leaves open.
        env: variables that it sets.
        stdin: what standard input holds, ``/dev/null`` where it is none.
        bound: bytes of each stream to keep.
        attendance: what happens meanwhile.
        condition: what is to happen at some of its calls, or none; see `Command`.
    """

    steps: Sequence[str] = ()
    arguments: Sequence[str] = ()
    instead: Sequence[str] = ()
    also: Sequence[tuple[str, ...]] = ()
    facts: str = field(factory=lambda: f"f{secrets.token_hex(8)}")
    given: Given = PLAIN
    passes: Sequence[int] = ()
    env: Mapping[str, str] = field(factory=dict)
    stdin: bytes | None = None
    bound: int = OUTPUT_BOUND
    attendance: Attendance = ALONE
    condition: JSON | None = None

    def command(self, argv: Sequence[str], deadline: float, cwd: str) -> Command:
        """Return a command line as what is to be started."""
        return Command(
            argv,
            deadline,
            env=self.env,
            cwd=cwd,
            null_fds=self.passes,
            stdin=self.stdin,
            bound=self.bound,
            given=self.given,
            attendance=self.attendance,
            condition=self.condition,
        )


@frozen
class _Asked:
    """One command, and by what its output is known."""

    start: Start
    command: tuple[str, ...]
    nonce: str
    mark: str
    questions: Sequence[tuple[str, ...]]

    def observation(self, argv: tuple[str, ...], launch: Launch, before: Snapshot, after: Snapshot) -> Observation:
        """Return what came of it."""
        said = launch.stderr if _STDOUT in self.start.given.closed else launch.stdout
        report = read_report(said, self.nonce, len(self.questions))
        if not self.start.steps:
            return Observation(argv, launch, report, before, after, self.mark)
        facts = read_facts(report.extra, self.start.facts)
        return Observation(argv, launch, evolve(report, extra=facts.rest), before, after, self.mark, facts=facts)


@define
class Starter:
    """Starts one helper on one ground.

    Args:
        timeout: deadline of each launch in seconds.
        launches: how many times the helper was started.
    """

    ground: Ground
    adapter: Adapter
    helper: Helper
    timeout: float
    launches: int = 0

    def control(self, case: Case, site: Site, start: Start | None = None) -> Observation:
        """Run the command without the helper: in a shell that stays where nothing but its probes is asked."""
        asked = self._asked(case, site, start or Start())
        simulated = make_ready(case, self.ground, site)
        before = site.farm.snapshot()
        launch = None if start or simulated else self._ask(case, asked, site)
        launch = launch or self._run(case, asked, site, simulated)
        return asked.observation(asked.command, launch, before, site.farm.snapshot())

    def _ask(self, case: Case, asked: _Asked, site: Site) -> Launch | None:
        cwd = start_folder(case, site.farm.path)
        command = self.ground.standing_command(cwd, asked.nonce, asked.mark, asked.questions)
        return site.ask(command, _CONTROL_SECONDS) if command else None

    def _run(self, case: Case, asked: _Asked, site: Site, simulated: Simulated | None) -> Launch:
        command = asked.start.command(asked.command, _CONTROL_SECONDS, start_folder(case, site.farm.path))
        return site.launch(command, simulated)

    def launch(self, case: Case, site: Site, start: Start | None = None) -> Observation:
        """Run the command under the helper."""
        asked = self._asked(case, site, start or Start())
        invocation = self._invocation(case, asked.command, site.farm)
        simulated = make_ready(case, self.ground, site)
        site.farm.write_files(invocation.files, invocation.links)
        before = site.farm.snapshot()
        launch = self._start(invocation, case, site, simulated, asked.start)
        seen = asked.observation(invocation.argv, launch, before, site.farm.snapshot())
        return self._lacking(seen, invocation, case, site, simulated) if simulated else seen

    def together(self, case: Case, site: Site, count: int) -> list[Observation]:
        """Run the command under `count` helpers at the same time, each with a launcher and a policy file of its own."""
        crew = [Site(site.farm, launcher) for launcher in self.ground.crew(count)]
        asked = [self._asked(case, site, Start()) for _ in crew]
        folders = [f"files/{number}" for number in range(count)]
        invocations = [
            self._invocation(case, one.command, site.farm, folder) for one, folder in zip(asked, folders, strict=True)
        ]
        for invocation, folder in zip(invocations, folders, strict=True):
            site.farm.write_files(invocation.files, invocation.links, folder)
        before = site.farm.snapshot()
        with ThreadPoolExecutor(count) as pool:
            tasks = [
                pool.submit(self._start, invocation, case, one, None, Start())
                for invocation, one in zip(invocations, crew, strict=True)
            ]
            launches = [task.result() for task in tasks]
        after = site.farm.snapshot()
        return [
            one.observation(invocation.argv, launch, before, after)
            for one, invocation, launch in zip(asked, invocations, launches, strict=True)
        ]

    def _asked(self, case: Case, site: Site, start: Start) -> _Asked:
        nonce, mark = f"n{secrets.token_hex(8)}", f"m{secrets.token_hex(6)}"
        asked = [*questions(case, site.farm.path), *start.also]
        command = tuple(start.instead) or self.ground.command(nonce, mark, asked)
        if start.steps:
            command = process_command(start.facts, start.steps, start.arguments, command)
        return _Asked(start, command, nonce, mark, asked)

    def _start(
        self, invocation: Invocation, case: Case, site: Site, simulated: Simulated | None, start: Start
    ) -> Launch:
        self.launches += 1
        command = evolve(
            start.command(invocation.argv, self.timeout, start_folder(case, site.farm.path)),
            env={**start.env, **invocation.env, **self.helper.env},
            executable=invocation.executable,
            null_fds=(*invocation.null_fds, *start.passes),
        )
        return site.launch(command, simulated)

    def _lacking(
        self, seen: Observation, invocation: Invocation, case: Case, site: Site, simulated: Simulated
    ) -> Observation:
        """Add what only a launch under a condition has: the executions of the bwrap on PATH, and the preflight."""
        executions = simulated.bwrap.executions if simulated.bwrap else None
        words = self.adapter.documented.preflight
        if case.requirement != _ASKS_PREFLIGHT or not words:
            return evolve(seen, executions=executions)
        asks = evolve(invocation, argv=(invocation.argv[0], *words, *invocation.argv[1:]))
        site.farm.write_files(asks.files, asks.links)
        return evolve(seen, executions=executions, preflight=self._start(asks, case, site, simulated, Start()))

    def _invocation(self, case: Case, command: tuple[str, ...], farm: Farm, files: str = "files") -> Invocation:
        policy = case.policy.at(farm.path)
        places = Places(
            farm=farm.path,
            home=farm.area("home"),
            tmp=farm.area("tmp"),
            files=farm.area(files),
            leads=leads(case, farm.path),
        )
        invocation = self.adapter.invocation(self.helper, policy, command, places)
        return spoilt(invocation, case.spoilt) if case.spoilt else invocation
