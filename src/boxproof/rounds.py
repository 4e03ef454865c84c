# SPDX-License-Identifier: MIT
"""One pass over one case: the control, the launch, a second run and a run in reverse order where the case has them."""

from __future__ import annotations

import secrets
from typing import Final

from attrs import define, evolve, field, frozen

from boxproof.asking import canary, leads, questions, start_folder
from boxproof.farm import CANARY, Farm, files_of, token
from boxproof.grounds.ground import Ground, Site
from boxproof.grounds.launch import Launch, LauncherLost
from boxproof.grounds.simulated import Simulated
from boxproof.helpers.base import Adapter, CannotExpressError, Helper, Invocation, Places
from boxproof.helpers.spoil import spoilt
from boxproof.judge import Evidence, judge
from boxproof.lacking import condition_of, make_ready
from boxproof.model.case import Case
from boxproof.model.containment import check_contained
from boxproof.model.derive import derive
from boxproof.model.oracle import expect
from boxproof.model.outcome import Allowed, Expectation, Finding, Judgement, Verdict
from boxproof.observation import Observation
from boxproof.probe.reader import read_report

_CONTROL_SECONDS: Final = 20.0
_ASKS_PREFLIGHT: Final = "FALL-5"


@frozen
class Round:
    """The verdict of one pass.

    Args:
        case: as it was run, derived probes included.
        judgement: the verdict.
        seen: the launch that the verdict is about; ``None`` where there was none.
        launches: how many times the helper was started.
    """

    case: Case
    judgement: Judgement
    seen: Observation | None = None
    launches: int = 0


@define
class Rounds:
    """Whatever one pass over `case` needs.

    Args:
        timeout: deadline of each launch in seconds.
        may_refuse: why this helper may refuse although others may not, or ``""``.
        lost: whether an earlier pass lost the launcher.
        salt: makes the farm's tokens this pass's own, so that a copy from an earlier one is no match.
    """

    ground: Ground
    adapter: Adapter
    helper: Helper
    case: Case
    timeout: float
    may_refuse: str = ""
    launches: int = 0
    lost: bool = False
    salt: str = field(factory=lambda: secrets.token_hex(8))
    _known: tuple[Observation, Observation] | None = field(default=None, init=False)

    def judge(self) -> Round:
        """Run the case once and judge it.

        Raises:
            BoxproofError: where the suite cannot do its work on this host.
        """
        try:
            with self.ground.site(self.case.topology) as site:
                case = self._asked(site.farm)
                judgement, seen = self._runs(case, site)
                if judgement.verdict is Verdict.PASS and case.reorder:
                    judgement, seen = self._reversed(case, site, seen)
        except CannotExpressError as error:
            return Round(self.case, Judgement(Verdict.NOT_APPLICABLE, reason=str(error)))
        except LauncherLost as lost:
            if isinstance(lost.__context__, KeyboardInterrupt):
                raise lost.__context__ from lost
            return self._after_loss()
        shown = evolve(case, probes=case.probes[:-1])
        return Round(shown, judgement, seen, self.launches)

    def _after_loss(self) -> Round:
        """Return whose fault the loss of the launcher was: a helper's that does it again, else nobody's (`error`).

        Raises:
            LauncherLost: where a second pass does not lose it.
        """
        if not self.lost:
            again = evolve(self, lost=True).judge()
            if again.judgement.findings and again.seen is None:
                return again
            raise LauncherLost("the launcher was lost once and not again", cause="the kernel's out-of-memory killer?")
        seen = "it ended the process that had started it, twice"
        finding = Finding("crash", self.case.requirement, "the helper ends by itself", seen)
        return Round(self.case, Judgement(Verdict.FAIL, (finding,)), launches=self.launches)

    @property
    def _key(self) -> str:
        return f"{self.case.requirement} {self.case.id} {self.salt}"

    def _asked(self, farm: Farm) -> Case:
        """Return the case with all the probes of its first run, the canary's last."""
        check_contained(self.case, farm.path)
        probes = self.case.probes or derive(self.case.topology, self.case.policy, farm.path)
        return evolve(self.case, probes=(*probes, canary(farm.area(CANARY), self.case, farm.path)))

    def _runs(self, case: Case, site: Site) -> tuple[Judgement, Observation]:
        again = evolve(case, probes=(*case.then, canary(site.farm.area(CANARY), case, site.farm.path)), then=())
        control = self._prepare(case, again, site)
        seen = self._launch(case, site)
        judgement = judge(self._evidence(case, case, control[0], seen))
        if judgement.verdict is Verdict.PASS and case.then:
            seen = self._launch(again, site)
            judgement = judge(self._evidence(case, again, control[1], seen))
        return judgement, seen

    def _reversed(self, case: Case, site: Site, first: Observation) -> tuple[Judgement, Observation]:
        judgement, seen = self._runs(case.reversed(), site)
        differing = [probe for number, probe in enumerate(case.probes) if first.answer(number) != seen.answer(number)]
        if judgement.verdict is not Verdict.PASS or not differing:
            return judgement, seen
        finding = Finding(
            "order-sensitive",
            case.requirement,
            "the order of the rules changes nothing",
            "with the rules in reverse order the outcome of a probe is another one",
            differing[0].path,
        )
        return Judgement(Verdict.FAIL, (finding,), launch=judgement.launch), seen

    def _prepare(self, case: Case, again: Case, site: Site) -> tuple[Observation, Observation]:
        """Return the controls of both runs, with the farm as it was built; in reverse order the questions are the same.

        What a control has changed is put back where that can be seen to be all that is different.
        """
        known, self._known = self._known, self._known or self._controls(case, again, site)
        if known or not site.farm.put_back(self._known[0].before, self._known[1].after):
            self._build(case, site)
        return self._known

    def _build(self, case: Case, site: Site) -> None:
        site.farm.build(case.topology, self._key)
        for marker in self.adapter.markers(case.policy):
            site.farm.add_folder(marker)

    def _controls(self, case: Case, again: Case, site: Site) -> tuple[Observation, Observation]:
        """Run the probes of both runs without the helper."""
        self._build(case, site)
        first = self._control(case, site)
        return first, self._control(again, site) if case.then else first

    def _control(self, case: Case, site: Site) -> Observation:
        nonce, mark = _nonce(), _mark()
        command = self.ground.command(nonce, mark, questions(case, site.farm.path))
        simulated = make_ready(case, self.ground, site)
        before = site.farm.snapshot()
        cwd = start_folder(case, site.farm.path)
        launch = site.launch(command, deadline=_CONTROL_SECONDS, cwd=cwd, simulated=simulated)
        report = read_report(launch.stdout, nonce, len(case.probes))
        return Observation(command, launch, report, before, site.farm.snapshot(), mark)

    def _launch(self, case: Case, site: Site) -> Observation:
        nonce, mark = _nonce(), _mark()
        command = self.ground.command(nonce, mark, questions(case, site.farm.path))
        invocation = self._invocation(case, command, site.farm)
        simulated = make_ready(case, self.ground, site)
        site.farm.write_files(invocation.files, invocation.links)
        before = site.farm.snapshot()
        launch = self._start(invocation, case, site, simulated)
        report = read_report(launch.stdout, nonce, len(case.probes))
        seen = Observation(invocation.argv, launch, report, before, site.farm.snapshot(), mark)
        return self._lacking(seen, invocation, case, site, simulated) if simulated else seen

    def _start(self, invocation: Invocation, case: Case, site: Site, simulated: Simulated | None) -> Launch:
        self.launches += 1
        return site.launch(
            invocation.argv,
            deadline=self.timeout,
            cwd=start_folder(case, site.farm.path),
            env={**invocation.env, **self.helper.env},
            executable=invocation.executable,
            null_fds=invocation.null_fds,
            simulated=simulated,
        )

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
        return evolve(seen, executions=executions, preflight=self._start(asks, case, site, simulated))

    def _invocation(self, case: Case, command: tuple[str, ...], farm: Farm) -> Invocation:
        policy = case.policy.at(farm.path)
        places = Places(
            farm=farm.path,
            home=farm.area("home"),
            tmp=farm.area("tmp"),
            files=farm.area("files"),
            leads=leads(case, farm.path),
        )
        invocation = self.adapter.invocation(self.helper, policy, command, places)
        return spoilt(invocation, case.spoilt) if case.spoilt else invocation

    def _evidence(self, case: Case, asked: Case, control: Observation, seen: Observation) -> Evidence:
        """Return what `asked`, the first or second run of `case`, is judged by."""
        farm = self.ground.farm_path
        expectation = expect(case, farm)
        if asked is not case:
            expectation = _of_second_run(expectation, asked)
        return Evidence(
            case=asked,
            expectation=expectation,
            control=control,
            seen=seen,
            base=str(self.ground.base),
            tokens={
                **self.ground.tokens,
                **{token(self._key, file.path): f"{farm}/{file.path}" for file in files_of(case.topology)},
            },
            may_refuse=self.may_refuse,
            declared=tuple(self.adapter.leftovers(self.helper)),
            condition=condition_of(case),
            weaker=self.adapter.documented.weaker,
        )


def _of_second_run(first: Expectation, asked: Case) -> Expectation:
    """Return what a second run may come to: what the first one changed inside is unknown, what was denied is not."""
    probes = tuple(Allowed(probe.expected or frozenset({"any"})) for probe in asked.probes)
    return evolve(first, launch=frozenset({"ran", "refused"}), probes=probes, one_of=())


def _nonce() -> str:
    return f"n{secrets.token_hex(8)}"


def _mark() -> str:
    return f"m{secrets.token_hex(6)}"
