# SPDX-License-Identifier: MIT
"""The pytest plugin: options, collection, verdicts, summary. All state is in ``config.stash``."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from boxproof.errors import BoxproofError
from boxproof.model.suite import CaseSource, GeneratedSource
from boxproof.surface import sharing
from boxproof.surface.engine import ENGINE
from boxproof.surface.examples import drawn_header
from boxproof.surface.generated import collect_generated
from boxproof.surface.header import header
from boxproof.surface.items import CaseFile, CaseItem, check_runnable, collect_source
from boxproof.surface.live import live
from boxproof.surface.options import OPTIONS, add_options, read_options
from boxproof.surface.profiles import register_profiles
from boxproof.surface.session import Session
from boxproof.surface.setup import PROGRAM, make_engine, suite_root
from boxproof.surface.statistics import Statistics
from boxproof.surface.verdicts import fill_report, status_of


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options, and the profiles before Hypothesis' own plugin looks for the one that is asked for."""
    add_options(parser)
    register_profiles()


def pytest_configure(config: pytest.Config) -> None:
    """Check the options before anything runs; a mistake in them is one line and exit status 4."""
    try:
        options = read_options(config)
        config.stash[OPTIONS] = options
        program = os.environ.get(PROGRAM, "pytest")
        # ids name the helper where there are several, and only the helper itself can say its version
        ask = not config.option.collectonly or len(options.helpers) > 1
        config.stash[ENGINE] = engine = make_engine(options, program, ask=ask)
        for path in options.cases:
            check_runnable(path, engine.contract)
    except BoxproofError as error:
        raise pytest.UsageError(str(error)) from error
    # a verdict is many lines, of which the summary takes the first, on CI too
    config.option.force_short_summary = True
    config.pluginmanager.register(Session(engine, config), "boxproof-session")
    config.pluginmanager.register(sharing, "boxproof-sharing")
    if (tail := live(config)) is not None:
        config.pluginmanager.register(tail, "boxproof-live")
    if options.stats:
        config.pluginmanager.register(Statistics(), "boxproof-statistics")
    config.add_cleanup(engine.close)
    if options.cases and not hasattr(config, "workerinput"):
        config.args[:] = [str(path) for path in options.cases]
    elif PROGRAM in os.environ and config.args_source is pytest.Config.ArgsSource.INVOCATION_DIR:
        config.args[:] = [str(suite_root() / "conformance")]


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what is under test, and on what."""
    return [] if config.option.collectonly else [*header(config.stash[ENGINE]), *drawn_header(config.stash[OPTIONS])]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CaseFile | None:
    """Collect recorded cases: those of the suite, and those that ``--case`` names."""
    named = file_path.resolve() in parent.config.stash[OPTIONS].cases
    recorded = file_path.suffix == ".toml" and "cases" in {folder.name for folder in file_path.parents[:2]}
    return CaseFile.from_parent(parent, path=file_path) if named or recorded else None


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> Sequence[CaseItem] | None:
    """Collect the cases of a function that `judges` a requirement, and what a function `generates` as one item."""
    if isinstance(obj, CaseSource) and name:
        return collect_source(collector, obj)
    return collect_generated(collector, obj) if isinstance(obj, GeneratedSource) and name else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases whose level the profile does not ask for, then those of other shards."""
    options = config.stash[OPTIONS]
    number, of = options.shard
    unasked = {item for item in items if isinstance(item, CaseItem) and item.case.level not in options.profile.levels}
    asked = [item for item in items if item not in unasked or options.cases]
    kept = asked[number - 1 :: of]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Carry the result of a case with pytest's report of it."""
    report = yield
    if isinstance(item, CaseItem):
        fill_report(report, call, item.outcome)
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Name verdicts that pytest has no word for."""
    return status_of(report)
