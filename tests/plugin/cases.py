# SPDX-License-Identifier: MIT
"""Cases for small suites, as files."""

from __future__ import annotations

import json
from collections.abc import Sequence

TREE = """\
ws/
ws/file     file
store/
store/key   file
"""
RULES = ("rw ws", "deny store/key")


def case_text(  # noqa: PLR0913 - a case has that many keys
    slug: str = "plain",
    requirement: str = "MASK-1",
    *,
    tree: str = TREE,
    rules: Sequence[str] = RULES,
    probes: Sequence[str] = (),
    level: str = "MUST",
    reads: str = "everything",
    extra: str = "",
) -> str:
    """Return a case file; `extra` are further lines at its head."""
    return f"""\
format = 1
id = "{slug}"
requirement = "{requirement}"
title = "a case called {slug}"
level = "{level}"
{extra}
tree = '''
{tree}'''
probes = {json.dumps(list(probes))}
[policy]
cwd = "ws"
reads = "{reads}"
rules = {json.dumps(list(rules))}
"""


def module_text(*cases: str, requirement: str = "MASK-1") -> str:
    """Return a conformance module with one function, whose cases are those of the case files given."""
    return f'''\
from boxproof.model.casefile import load_case
from boxproof.model.suite import judges

@judges("{requirement}")
def known():
    """Known."""
    for text in {list(cases)!r}:
        yield load_case(text, "case.toml")
'''
