# SPDX-License-Identifier: MIT
"""Scripts for minimal cases of every kind, as each adapter starts its helper: short, and nothing for shellcheck."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from attrs import evolve, frozen

from boxproof.asking import leads
from boxproof.helpers.base import Adapter, CannotExpressError, Helper, Places
from boxproof.helpers.bwrap import Bwrap
from boxproof.helpers.codex import Codex
from boxproof.helpers.cursorsandbox import FILE, CursorSandbox
from boxproof.helpers.reference import Reference
from boxproof.model.case import Case
from boxproof.model.derive import derive
from boxproof.model.oracle import expect
from boxproof.model.outcome import Finding, Kind
from boxproof.model.policy import Policy, Reads, parse_rule
from boxproof.model.probe import format_probe
from boxproof.model.tree import parse_tree
from boxproof.report.recipe import BASE, COMMAND, PLACE, Recipe, Start
from boxproof.report.reproducer import reproducer

BOUND: Final = 60
"""Lines beside comments."""
DRIVEN: Final[dict[str, tuple[Adapter, Helper]]] = {
    "bwrap": (Bwrap(), Helper("bwrap", "/boxproof-helper/bwrap")),
    "codex": (Codex(), Helper("codex", "/boxproof-helper/codex", "", "profile-deny")),
    "cursorsandbox": (CursorSandbox(), Helper("cursorsandbox", "/boxproof-helper/cursorsandbox", "", FILE)),
    "reference": (Reference(), Helper("reference", "/boxproof-helper/boxproof-reference")),
}
READS: Final[tuple[Reads, ...]] = ("everything", "listed")


@frozen
class Minimal:
    """A case as small as generated ones come out, and what is found in it.

    Args:
        tree: the farm, on one line.
        rules: on one line.
        kinds: what is found.
        seen: what is said of a finding that is about no probe.
    """

    requirement: str
    tree: str
    rules: str
    kinds: tuple[Kind, ...]
    seen: str = "the command did not run; the helper's status is 1"

    @property
    def id(self) -> str:
        """The name of the test."""
        return f"{self.requirement}-{'-'.join(self.kinds)}"


MINIMAL: Final = (
    Minimal("BIND-1", "b file; d -> {farm}/b", "ro d", ("no-start",)),
    Minimal("BIND-1", "ws/; b/; b/c file; d -> b", "rw ws; rw d", ("overblock",)),
    Minimal("BIND-3", "b file; d -> b", "ro b; ro d", ("no-start",)),
    Minimal("BIND-7", "ws/; a/; a/b file", "rw ws; ro a/../a/b/", ("no-start",)),
    Minimal("MASK-1", "ws/; a/; a/c file; c -> a", "rw ws; deny c/c", ("leak",)),
    Minimal("MASK-1", "a/; a/c file; c -> a", "rw a; deny c/c", ("leak", "escape")),
    Minimal("MASK-1", "b/; b/c file; b/b -> .", "rw b/b; deny b/c", ("leak", "escape")),
    Minimal("MASK-2", "b/; b/a -> .", "deny b/a", ("no-start",)),
    Minimal("MASK-3", "a file; b = a; c -> b", "deny a; deny c", ("crash",)),
    Minimal("MASK-4", "ws/; ws/b -> .", "rw ws; deny ws/b/none", ("escape",)),
    Minimal("MASK-4", "ws/; ws/b -> .", "rw ws; deny ws/b/none", ("host-change",), "added (a file)"),
    Minimal("MASK-6", "a/; a/b/; a/b/c file; d -> a/b", "deny a", ("leak",)),
    Minimal("NEST-1", "a/; a/b/; a/b/c file; d -> a", "ro d; rw a/b; deny d/b/c", ("leak", "escape")),
    Minimal("NEST-1", "a/; a/b file", "rw a; ro a/b", ("escape",)),
    Minimal("START-2", "ws/; a -> none", "rw ws; ro a", ("hang",)),
)


def case_of(minimal: Minimal, reads: Reads) -> Case:
    tree = parse_tree(minimal.tree.replace("; ", "\n"))
    rules = tuple(map(parse_rule, minimal.rules.split("; ")))
    cwd = "ws" if "ws" in tree.by_path else "{farm}"
    case = Case("generated-one-0123456789", minimal.requirement, "", tree, Policy(cwd, rules, reads))
    return evolve(case, probes=derive(tree, case.policy, PLACE))


def findings_of(minimal: Minimal, case: Case) -> Iterator[Finding]:
    """Iterate over findings as the judge words them."""
    for kind in minimal.kinds:
        if kind in {"leak", "escape", "overblock"}:
            yield from _of_probes(kind, case)
        else:
            where = "ws/b/none" if kind == "host-change" else ""
            yield Finding(kind, case.requirement, "the command runs", minimal.seen, where)


def _of_probes(kind: Kind, case: Case) -> Iterator[Finding]:
    wanted = {"leak": ("read",), "escape": ("write", "create"), "overblock": ("read", "write")}[kind]
    for probe, allowed in zip(case.probes, expect(case, PLACE).probes, strict=True):
        right = allowed.outcomes == {"allowed"} if kind == "overblock" else "allowed" not in allowed.outcomes
        if probe.operation in wanted and right:
            yield Finding(kind, case.requirement, f"{format_probe(probe)}: denied", "it did", probe.path)


def script_of(driven: tuple[Adapter, Helper], case: Case, findings: tuple[Finding, ...]) -> str:
    start, plain = (_start(driven, each) for each in (case, evolve(case, policy=_plain(case))))
    return reproducer(
        Recipe(
            case=case,
            findings=findings,
            starts=(start,),
            plain=plain,
            helper=driven[1].path,
            statement="Denied content is not readable by any spelling.",
            about=("found with a helper",),
            markers=tuple(driven[0].markers(case.policy)),
        )
    )


def _plain(case: Case) -> Policy:
    cwd = f"{PLACE}/ws" if case.policy.cwd == "ws" else PLACE
    return Policy(cwd, (parse_rule(f"rw {cwd}"),))


def _start(driven: tuple[Adapter, Helper], case: Case) -> Start:
    adapter, helper = driven
    home, tmp, files = (f"{BASE}/{area}" for area in ("home", "tmp", "files"))
    places = Places(PLACE, home, tmp, files, leads(case, PLACE))
    made = adapter.invocation(helper, case.policy.at(PLACE), COMMAND, places)
    return Start(made.argv, made.files, made.links, made.null_fds, made.env)


def scripts() -> Iterator[tuple[str, str]]:
    for (number, minimal), (name, driven), reads in product(enumerate(MINIMAL), DRIVEN.items(), READS):
        case = case_of(minimal, reads)
        found = tuple(findings_of(minimal, case))
        if not found:
            continue
        # not every policy has words in every helper's language
        with suppress(CannotExpressError):
            yield f"{minimal.id}-{number}-{name}-{reads}", script_of(driven, case, found)


SCRIPTS: Final = tuple(scripts())
EACH = pytest.mark.parametrize("script", [script for _, script in SCRIPTS], ids=[name for name, _ in SCRIPTS])


@EACH
def test_a_minimal_case_is_a_short_script(script: str) -> None:
    lines = [line for line in script.splitlines() if not line.startswith("#")]
    assert "replay the case with boxproof" not in script
    assert len(lines) > 20
    assert len(lines) <= BOUND


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
def test_shellcheck_has_nothing_to_say(tmp_path: Path) -> None:
    for name, script in SCRIPTS:
        (tmp_path / name).write_text(script, encoding="ascii")
    words = [shutil.which("shellcheck") or "", "-s", "sh", *sorted(os.listdir(tmp_path))]
    done = subprocess.run(words, cwd=tmp_path, text=True, capture_output=True, check=False)
    assert done.stdout == ""
