# SPDX-License-Identifier: MIT
"""A mutant and its tests, in a process forked from one in which everything but Boxproof is imported already."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import multiprocessing
import os
import signal
import sys
import time
import types
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from typing import Final

import hypothesis.strategies  # noqa: F401 - so that the forked processes need not import it
import pytest
from attrs import frozen

from tests.mutation.mutants import Mutant

SECONDS: Final = 120.0
"""Tests that take longer have noticed the mutant: it hangs."""
PURE: Final = "tests/judge"
"""Tests without fixtures of the suite's: half of what a mutant costs is the import of all that those take."""
_FORK: Final = multiprocessing.get_context("fork")


@frozen
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from the source of a mutant, and no other."""

    mutant: Mutant

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the ordinary spec of the module with this loader in it."""
        if name != self.mutant.module.removesuffix(".__init__"):
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path, target)
        if found is not None:
            found.loader = self
        return found

    def exec_module(self, module: types.ModuleType) -> None:
        """Execute the mutant."""
        exec(compile(self.mutant.source, str(module.__file__), "exec"), vars(module))  # noqa: S102 - a mutant has no file


@frozen
class Trial:
    """A mutant whose tests are under way."""

    mutant: Mutant
    process: ForkProcess
    begun: float

    @property
    def late(self) -> bool:
        """Whether the tests take too long."""
        return time.monotonic() - self.begun > SECONDS

    def ended(self) -> bool:
        """Tell whether a test has failed, and leave nothing of the process behind."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.join()
        return self.process.exitcode != 0


def trials(asked: Iterable[tuple[Mutant, Sequence[str]]], processes: int) -> Iterator[tuple[Mutant, bool]]:
    """Run the tests of each mutant, several at a time; iterate over the mutants and whether a test has failed."""
    todo, running = iter(asked), list[Trial]()
    while True:
        running += [_begin(*each) for each in islice(todo, processes - len(running))]
        if not running:
            return
        wait([trial.process.sentinel for trial in running], timeout=1)
        for trial in [trial for trial in running if not trial.process.is_alive() or trial.late]:
            running.remove(trial)
            yield trial.mutant, trial.ended()


def _begin(mutant: Mutant, tests: Sequence[str]) -> Trial:
    process = _FORK.Process(target=_run, args=(mutant, tests))
    process.start()
    return Trial(mutant, process, time.monotonic())


def _run(mutant: Mutant, tests: Sequence[str]) -> None:
    """Run the tests in this process, one file or folder after the other, and end as soon as one of them fails."""
    os.setsid()
    sys.meta_path.insert(0, Finder(mutant))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    # Hypothesis is imported already, which pytest warns of, and here a warning is an error
    quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
    words = ["-x", "-q", "-p", "no:cacheprovider", *quiet]
    os._exit(next(filter(None, (pytest.main([*words, *_alone(each), each]) for each in tests)), 0))


def _alone(tests: str) -> Sequence[str]:
    """Return what keeps pytest from importing the whole suite for tests that take nothing from it."""
    return ["--noconftest"] if tests.startswith(PURE) else []
