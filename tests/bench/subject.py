# SPDX-License-Identifier: MIT
"""One helper on a ground, once by the engine and once by the bare loop, with the same questions on the same farms."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from attrs import evolve, frozen

from boxproof.asking import canary, leads, questions, start_folder
from boxproof.errors import HelperError
from boxproof.farm import CANARY, Farm
from boxproof.grounds.accounts import LaunchUser, launch_user
from boxproof.grounds.ground import PATH, Ground
from boxproof.grounds.kit import Bundled, bundled_kit
from boxproof.helpers.base import Invocation, Places
from boxproof.helpers.registry import REFERENCE, find
from boxproof.model.case import Case
from boxproof.model.derive import derive
from boxproof.model.topology import Topology
from boxproof.probe.reader import read_report
from boxproof.runner import Runner

_BARE: Final = Path(__file__).with_name("bare.py")


@frozen
class Timed:
    """What one case took, in seconds.

    Args:
        total: from the case to its verdict.
        launch: of that, from the helper's fork to its end.
        bare: of the bare loop, for the same command line.
        busy: of a processor, for the engine alone.
        bare_busy: of a processor, for the bare loop and what it starts.
        answered: whether the bare loop's probe said all that the engine's did.
    """

    total: float
    launch: float
    bare: float
    busy: float
    bare_busy: float
    answered: bool


@frozen
class Bare:
    """One run of the bare loop, in seconds, and how many questions were answered."""

    seconds: float
    busy: float
    answers: int


@frozen
class _Ready:
    """What the bare loop is to start, and what is known of its answer."""

    request: Mapping[str, Any]
    nonce: str
    questions: int


@frozen
class Subject:
    """A helper that is measured.

    Args:
        open_loop: starts a bare loop.
        loop: one that is open.
        launcher: the process number of the engine's launcher.
    """

    ground: Ground
    runner: Runner
    open_loop: Callable[[], AbstractContextManager[subprocess.Popen[str]]]
    loop: subprocess.Popen[str]
    launcher: int

    @property
    def launched(self) -> float:
        """The processor seconds of the launcher and of all that it has waited for (proc(5))."""
        fields = Path(f"/proc/{self.launcher}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    @property
    def name(self) -> str:
        """The helper's name."""
        return self.runner.helper.name

    def time(self, case: Case, *, bare_first: bool) -> Timed | None:
        """Run a case both ways, in either order; none where the helper cannot be asked."""
        try:
            before = self._bare(case) if bare_first else None
            clock, processor = time.perf_counter(), time.process_time()
            run = self.runner.run(case)
            total, busy = time.perf_counter() - clock, time.process_time() - processor
            if run.seen is None:
                return None
            bare = before or self._bare(case)
        except HelperError:
            return None
        answered = bare.answers == len(run.seen.report.answers)
        return Timed(total, run.seen.launch.seconds, bare.seconds, busy, bare.busy, answered)

    def pace(self, case: Case, loops: int, launches: int) -> float:
        """Return how many times a second so many bare loops together start the command line of one case."""
        with ExitStack() as stack, self._ready(case) as ready:
            others = [stack.enter_context(self.open_loop()) for _ in range(loops)]
            share = launches // loops
            with ThreadPoolExecutor(loops) as pool:
                clock = time.perf_counter()
                done = [pool.submit(_again, loop, ready.request, share) for loop in others]
                for each in done:
                    each.result()
                return share * loops / (time.perf_counter() - clock)

    def _bare(self, case: Case) -> Bare:
        """Start the same command line once."""
        with self._ready(case) as ready:
            reply = _ask(self.loop, ready.request)
        report = read_report(reply["answer"].encode("latin-1"), ready.nonce, ready.questions)
        return Bare(reply["seconds"], reply["busy"], len(report.answers))

    @contextmanager
    def _ready(self, case: Case) -> Iterator[_Ready]:
        """Hold the farm of a case, and what the bare loop is to start on it."""
        # a value of its own, so that nothing worked out here is known to the engine already
        case = evolve(case, topology=evolve(case.topology))
        with self.ground.site(case.topology) as site:
            farm = site.farm
            probes = derive(case.topology, case.policy, farm.path)
            asked = evolve(case, probes=(*probes, canary(farm.area(CANARY), case, farm.path)))
            nonce = f"n{secrets.token_hex(8)}"
            command = self.ground.command(nonce, f"m{secrets.token_hex(6)}", questions(asked, farm.path))
            invocation = self._built(asked, command, farm)
            request = self._request(invocation, start_folder(asked, farm.path), site.env)
            yield _Ready(request, nonce, len(asked.probes))

    def _built(self, case: Case, command: Sequence[str], farm: Farm) -> Invocation:
        runner = self.runner
        farm.build(case.topology, secrets.token_hex(8))
        for marker in runner.adapter.markers(case.policy):
            farm.add_folder(marker)
        known = leads(case, farm.path)
        places = Places(farm.path, farm.area("home"), farm.area("tmp"), farm.area("files"), known)
        invocation = runner.adapter.invocation(runner.helper, case.policy.at(farm.path), command, places)
        farm.write_files(invocation.files, invocation.links)
        return invocation

    def _request(self, invocation: Invocation, cwd: str, env: Mapping[str, str]) -> dict[str, Any]:
        return {
            "argv": invocation.argv,
            "executable": invocation.executable or invocation.argv[0],
            "env": {**env, **invocation.env, **self.runner.helper.env},
            "cwd": cwd,
            "null_fds": invocation.null_fds,
        }


def _ask(loop: subprocess.Popen[str], request: Mapping[str, Any]) -> dict[str, Any]:
    assert loop.stdin is not None
    assert loop.stdout is not None
    loop.stdin.write(json.dumps(request) + "\n")
    loop.stdin.flush()
    reply: dict[str, Any] = json.loads(loop.stdout.readline())
    return reply


def _again(loop: subprocess.Popen[str], request: Mapping[str, Any], times: int) -> None:
    for _ in range(times):
        _ask(loop, request)


@contextmanager
def subject(given: str, env: Mapping[str, str], farm_root: str = "") -> Iterator[Subject]:
    """Hold a helper, as ``--helper`` takes it, on a ground of its own."""
    adapter, helper = find(given, None, env)
    with Ground(launch_user(), farm_root) as ground:
        if given == REFERENCE:
            source = Path(helper.path).parents[1]
            helper = evolve(helper, path=str(bundled_kit(ground.kit, Bundled(source), ground.user, PATH)))
        runner = Runner(ground, adapter, helper)
        with ground.site(Topology(())) as site:
            process = site.launcher.root.parent
        open_loop = partial(_loop, ground.user, process / "ns" / "mnt")
        with open_loop() as loop:
            yield Subject(ground, runner, open_loop, loop, int(process.name))


@contextmanager
def _loop(user: LaunchUser, namespace: Path) -> Iterator[subprocess.Popen[str]]:
    loop = subprocess.Popen(
        [sys.executable, "-I", "-S", str(_BARE), str(user.uid), str(user.gid), str(namespace)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with loop:
        yield loop
