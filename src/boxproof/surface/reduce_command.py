# SPDX-License-Identifier: MIT
"""``boxproof reduce``: from a failing case file to the smallest one that fails in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from boxproof.errors import BoxproofError
from boxproof.helpers.registry import REFERENCE
from boxproof.model.case import Case
from boxproof.model.casefile import dump_case
from boxproof.model.names import escape
from boxproof.model.policy import format_rule
from boxproof.model.probe import format_probe
from boxproof.model.tree import format_tree
from boxproof.reducing.minimise import LIMIT
from boxproof.reducing.session import Reduction, Runs, reduce_case
from boxproof.surface.files import check_writable, write_whole
from boxproof.surface.items import check_known, read_case
from boxproof.surface.setup import read_contract
from boxproof.surface.single import engine_for, launch_options

_SUFFIX: Final = ".reduced.toml"


class _CannotReduce(click.ClickException):
    """One line, and the status of what cannot be told."""

    exit_code = 2


@click.command()
@click.argument("case", type=click.Path(path_type=Path))
@click.option("--helper", default=REFERENCE, show_default=True, help="The helper: a path or a name.")
@launch_options
@click.option("--limit", type=click.IntRange(min=0), default=LIMIT, show_default=True, help="Smaller cases to try.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write it.  [default: beside CASE]")
@click.pass_context
def reduce(context: click.Context, /, case: Path, output: Path | None, limit: int, **_: object) -> None:
    """Find the smallest form of a failing CASE: exit 0, or 2 where it does not fail or cannot be run."""
    target = output or case.with_name(f"{case.stem}{_SUFFIX}")
    try:
        known = check_known(read_case(case), read_contract())
        check_writable(target)
        with _runner(context.params, known) as runner:
            done = reduce_case(runner, known, limit=limit)
        changed = done.case != known
        if changed or output:
            write_whole(target, dump_case(done.case))
    except BoxproofError as error:
        raise _CannotReduce(str(error)) from error
    click.echo("\n".join(_lines(done)))
    if changed or output:
        click.echo(f"written: {target}")


@contextmanager
def _runner(given: Mapping[str, Any], case: Case) -> Iterator[Runs]:
    """Hold a runner for the helper of the command line."""
    engine = engine_for(given["helper"], case, given, "boxproof reduce")
    try:
        yield engine.runner(engine.subjects[0])
    finally:
        engine.close()


def _lines(done: Reduction) -> Iterator[str]:
    case, fault = done.case, done.fault
    yield f"{case.name}: {fault.kind} [{fault.requirement}], {done.before.words(fault)}"
    yield _dropped(done.given, case) if case != done.given else "it is minimal already"
    yield "tree:"
    yield from (f"    {line}" for line in format_tree(case.topology).splitlines())
    yield f"policy: cwd {escape(case.policy.cwd)}, reads {case.policy.reads}"
    yield from (f"    {format_rule(rule)}" for rule in case.policy.rules)
    if case.probes or case.then:
        yield "probes:"
        yield from (f"    {format_probe(probe)}" for probe in (*case.probes, *case.then))
    cut = "" if done.reduced.complete else "; the limit cut the search short"
    yield f"the smallest case {done.after.words(fault)}; {done.launches} launches in {done.seconds:.1f} s{cut}"


def _dropped(given: Case, small: Case) -> str:
    counts = {
        "entries": (len(given.topology.entries), len(small.topology.entries)),
        "rules": (len(given.policy.rules), len(small.policy.rules)),
        "probes": (len(given.probes) + len(given.then), len(small.probes) + len(small.then)),
    }
    words = [f"{before - after} of {before} {what}" for what, (before, after) in counts.items() if after < before]
    return f"dropped {', '.join(words)}" if words else "dropped nothing, and made it plainer"
