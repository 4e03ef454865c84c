# SPDX-License-Identifier: MIT
"""What every strategy draws: small, mixed, contained, the same again, and of many kinds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import evolve

from boxproof.model.case import Case
from boxproof.model.casefile import dump_case, load_case
from boxproof.model.containment import check_contained
from boxproof.model.derive import derive
from boxproof.model.probe import MUTATING
from boxproof.model.suite import GeneratedSource
from boxproof.model.topology import Dir, File, Link
from boxproof.surface.examples import draw
from fixtures.strategies.sketch import ENTRIES, WORKSPACE
from tests.strategies.gather import FARM, FEW, few, named, sources

RESERVED = {".git", ".codex", ".agents", ".aws", ".cursor", ".vscode", ".idea"}
STEPPED = {"link-in-writable", "made-link", "ro-in-writable"}
EACH = pytest.mark.parametrize("source", sources(), ids=named)
DIGESTS = """
from boxproof.surface.examples import draw
from boxproof.surface.profiles import register_profiles
from tests.strategies.gather import sources
register_profiles()
print([case.id for source in sources() for case in draw(source, 5, 3)])
"""


@EACH
def test_most_examples_differ(source: GeneratedSource) -> None:
    assert len(few(source)) > 0.85 * FEW
    assert len({case.id for case in few(source)}) == len(few(source))


@EACH
def test_every_farm_is_small_and_has_a_folder_a_file_and_a_link(source: GeneratedSource) -> None:
    assert [case.id for case in few(source) if not _is_mixed(case)] == []
    assert max(len(case.topology.entries) for case in few(source)) <= ENTRIES


@EACH
def test_no_example_leaves_its_farm(source: GeneratedSource) -> None:
    for case in few(source):
        check_contained(evolve(case, probes=case.probes or derive(case.topology, case.policy, FARM)), FARM)


@EACH
def test_no_name_is_one_that_a_helper_protects_by_itself(source: GeneratedSource) -> None:
    used = {name for case in few(source) for entry in case.topology for name in entry.path.split("/")}
    assert used & RESERVED == set()


@EACH
def test_both_kinds_of_reads_and_mostly_a_writable_workspace(source: GeneratedSource) -> None:
    drawn = few(source)
    listed = sum(case.policy.reads == "listed" for case in drawn)
    writable = sum(
        f"rw {WORKSPACE}" in {f"{rule.access} {rule.spelling}" for rule in case.policy.rules} for case in drawn
    )
    assert 0.3 < listed / len(drawn) < 0.7
    assert writable / len(drawn) > 0.85


@EACH
def test_a_writable_file_is_rare(source: GeneratedSource) -> None:
    rules = [(case, rule) for case in few(source) for rule in case.policy.rules]
    files = [rule for case, rule in rules if rule.access == "rw" and rule.spelling in _files(case)]
    assert len(files) < 0.15 * len(rules)


@EACH
def test_an_example_survives_its_file(source: GeneratedSource) -> None:
    assert all(load_case(dump_case(case), "case.toml") == case for case in few(source)[:50])


@EACH
def test_steps_are_drawn_where_they_have_a_say(source: GeneratedSource) -> None:
    stepped = sum(any(probe.operation in MUTATING for probe in case.probes) for case in few(source))
    assert (stepped > len(few(source)) / 3) == (source.intent in STEPPED)
    assert (stepped == 0) == (source.intent not in STEPPED)


def test_another_seed_draws_other_examples() -> None:
    source = sources()[0]
    assert draw(source, 20, 0) == draw(source, 20, 0)
    # the plainest farms come first whatever the seed
    assert len(set(draw(source, 50, 0)) & set(draw(source, 50, 1))) < 10


def test_other_modules_and_hash_seeds_change_nothing(tmp_path: Path) -> None:
    seen = {
        subprocess.run(
            [sys.executable, "-c", f"{extra}\n{DIGESTS}"],
            cwd=tmp_path,
            env={"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": str(number)},
            capture_output=True,
            check=True,
        ).stdout
        for number, extra in enumerate(("", "import tests.model.strategies", "import boxproof.plugin"))
    }
    assert len(seen) == 1
    assert os.listdir(tmp_path) == []


def _is_mixed(case: Case) -> bool:
    kinds = {type(entry) for entry in case.topology if entry.path != WORKSPACE}
    return {Dir, File, Link} <= kinds


def _files(case: Case) -> set[str]:
    return {entry.path for entry in case.topology if isinstance(entry, File)}
