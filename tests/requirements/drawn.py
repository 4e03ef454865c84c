# SPDX-License-Identifier: MIT
"""A case as text: its tree with the rules beside what they act on, and what else is particular about it."""

from __future__ import annotations

from collections.abc import Iterator

from boxproof.model.case import Case
from boxproof.model.names import escape
from boxproof.model.probe import format_probe
from boxproof.report.drawing import draw

ROWS = 20
"""Lines of a tree that are shown: enough for its shape."""
_PROBES = 4
_RULES = 6
_ABOVE = 6


def drawn(case: Case) -> list[str]:
    """Return the lines of a code block."""
    picture = draw(case, ())
    rows = [(f"{line.branch}{line.name}", line.what, ", ".join(line.rules)) for line in picture.lines]
    name, what = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"{row[0]:<{name}}  {row[1]:<{what}}  {row[2]}".rstrip() for row in rows[:ROWS]]
    more = picture.more + len(rows) - len(lines)
    lines += [f"... and {more} more entries"] if more else []
    # of rules that act on entries which are not drawn none is told: they are as those that are
    told = () if picture.more else picture.elsewhere[:_RULES]
    lines += [f"elsewhere: {rule}" for rule in told]
    rules = len(picture.elsewhere) - len(told)
    lines += [f"... and {rules} more rules"] if rules else []
    return [*lines, *_about(case)]


def _about(case: Case) -> Iterator[str]:
    """Iterate over what the tree does not show."""
    yield f"cwd {escape(case.policy.cwd)}, reads {case.policy.reads}"
    rows = case.topology.above
    yield from ([f"above the farm, as {case.layout}-layout has it:"] if rows else [])
    yield from (f"    {row}" for row in rows[:_ABOVE])
    yield from ([f"    ... and {len(rows) - _ABOVE} more"] if len(rows) > _ABOVE else [])
    if case.condition:
        yield f"the host: {case.condition}"
    if case.swap:
        yield f"meanwhile {escape(case.swap.one)} and {escape(case.swap.other)} change places"
    if case.spoilt:
        yield f"the policy document: {case.spoilt}"
    if case.probes and any(probe.operation in {"rename", "exchange", "symlink", "link"} for probe in case.probes):
        yield f"tried: {'; '.join(format_probe(probe) for probe in case.probes[:_PROBES])}"
    if case.then:
        yield f"then, in a second run: {'; '.join(format_probe(probe) for probe in case.then[:_PROBES])}"
