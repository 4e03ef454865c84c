# SPDX-License-Identifier: MIT
"""``boxproof history``: one case over many versions of a helper, where it broke and where it was fixed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from boxproof.errors import BoxproofError
from boxproof.model.case import Case
from boxproof.model.outcome import Verdict
from boxproof.report.failure import stderr_lines
from boxproof.runner import Run
from boxproof.surface.engine import Engine
from boxproof.surface.history import Answer, History, look
from boxproof.surface.history_case import find_case
from boxproof.surface.history_versions import Release, as_given, by_version, find_releases
from boxproof.surface.history_words import as_json, lines
from boxproof.surface.replay_command import CANNOT_TELL, FIXED, STILL_FAILS
from boxproof.surface.single import engine_for, launch_options


class _NoHistory(click.ClickException):
    """One line, and the status of what cannot be told."""

    exit_code = CANNOT_TELL


@click.command()
@click.argument("case")
@click.option("--helper", multiple=True, metavar="PATH|NAME", help="One version of the helper; repeatable.")
@click.option("--helper-glob", multiple=True, metavar="PATTERN", help="Versions by a pattern of paths; repeatable.")
@launch_options
@click.option("--repeat", type=click.IntRange(min=1), default=1, help="Launches of each; a difference is flaky.")
@click.option(
    "--as-given", "unordered", is_flag=True, help="Keep the order of the command line, whatever the versions."
)
@click.option("--all", "every", is_flag=True, help="Try each version, rather than halve what lies between.")
@click.option("--json", "machine", is_flag=True, help="Print JSON.")
@click.pass_context
def history(context: click.Context, /, case: str, *, every: bool, machine: bool, **_: object) -> None:
    """Find where CASE, a file or an id, broke over versions of a helper: exit 1 where the newest fails, 0, or 2."""
    given = context.params
    try:
        known = find_case(case)
        found = find_releases(given["helper"], given["helper_glob"], lambda each: _engine(each, known, given))
        releases = as_given(found) if given["unordered"] else by_version(found)
    except BoxproofError as error:
        raise _NoHistory(str(error)) from error
    done = look([each.name for each in releases], lambda at: _answer(releases[at], known, given["repeat"]), every=every)
    click.echo(_json(known, releases, done) if machine else "\n".join((f"{known.name}: {known.title}", *lines(done))))
    sys.exit(CANNOT_TELL if done.fails is None else STILL_FAILS if done.fails else FIXED)


def _engine(helper: str, case: Case, given: Mapping[str, Any]) -> Engine:
    return engine_for(helper, case, given, "boxproof history")


def _answer(release: Release, case: Case, repeat: int) -> Answer:
    """Run the case under one version, and leave nothing."""
    if release.engine is None:
        return Answer(Verdict.ERROR, (), release.trouble)
    try:
        run = release.engine.run(case, release.engine.subjects[0], repeat)
        base = str(release.engine.host.base)
    finally:
        release.engine.close()
    kinds = tuple(dict.fromkeys(finding.kind for finding in run.judgement.findings))
    return Answer(run.judgement.verdict, kinds, _evidence(run).replace(base, "{base}"))


def _evidence(run: Run) -> str:
    """Return the line that shows most: the helper's own words where it did not run the command, else what was seen."""
    judgement = run.judgement
    if judgement.verdict is Verdict.PASS:
        return "refused, which the requirement allows" if judgement.launch == "refused" else ""
    said = stderr_lines(run.seen.launch.stderr) if run.seen and judgement.launch != "ran" else ()
    found = said or tuple(f"{finding.path} {finding.seen}".strip() for finding in judgement.findings)
    return "; ".join(filter(None, (judgement.reason, *found[:1])))


def _json(case: Case, releases: Sequence[Release], done: History) -> str:
    rows = as_json(done)
    for row, release in zip(rows["versions"], releases, strict=True):
        row["helper"] = release.given
    return json.dumps({"case": case.id, "requirement": case.requirement, **rows}, indent=1)
