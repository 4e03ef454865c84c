# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

import pytest
from attrs import define, evolve, field

from boxproof.errors import CaseError
from boxproof.grounds.accounts import launch_user
from boxproof.grounds.ground import Ground
from boxproof.helpers.registry import find
from boxproof.model.case import Case
from boxproof.model.outcome import Finding, Judgement, Kind, Verdict
from boxproof.reducing.believe import Fault
from boxproof.reducing.session import NothingToReduceError, reduce_case
from boxproof.runner import Run, Runner
from conformance import test_bind, test_mask
from tests.plugin.place import Place
from tests.reducing.helpers import denied_twice, make, rules_of, tree_of
from tests.reducing.test_minimise import EIGHT, FOUR
from tests.vendors.fetch import CACHE

CODEX = CACHE / "codex-0.171.0" / "package" / "vendor" / "x86_64-unknown-linux-musl" / "bin" / "codex"


@define
class Pretended:
    """A runner whose helper fails where a predicate says so, and then only as often as `pattern` has an ``x``."""

    fails: Callable[[Case], bool]
    pattern: Iterator[str] = field(factory=lambda: cycle("x"))
    kinds: tuple[Kind, ...] = ("no-start",)
    verdict: Verdict = Verdict.PASS

    def run(self, case: Case, repeat: int = 1) -> Run:
        failed = self.fails(case) and next(self.pattern) == "x"
        findings = tuple(Finding(kind, case.requirement, "that", "this") for kind in self.kinds if failed)
        return Run(case, Judgement(Verdict.FAIL if failed else self.verdict, findings, "why"), launches=repeat)


def test_the_smallest_case_is_found_and_repeated() -> None:
    done = reduce_case(Pretended(denied_twice), make(EIGHT, *FOUR))
    assert rules_of(done.case) == ["deny key", "deny one"]
    assert (done.fault, done.before.runs, done.after.runs) == (Fault("MASK-2", "no-start"), 5, 5)
    assert done.launches == done.reduced.launches + 10


def test_a_flaky_failure_is_reduced_too() -> None:
    done = reduce_case(Pretended(denied_twice, cycle("x..x.")), make(EIGHT, *FOUR))
    assert rules_of(done.case) == ["deny key", "deny one"]
    assert done.before.words(done.fault) == "failed 8 of 20"


def test_of_several_faults_the_gravest_is_kept() -> None:
    done = reduce_case(Pretended(denied_twice, kinds=("overblock", "leak")), make(EIGHT, *FOUR))
    assert done.fault.kind == "leak"


@pytest.mark.parametrize(
    ("verdict", "said"),
    (
        (Verdict.PASS, "MASK-2[given] does not fail (it was judged 5 times)"),
        (Verdict.NOT_APPLICABLE, "MASK-2[given] cannot be judged (why)"),
        (Verdict.ERROR, "MASK-2[given] cannot be judged (why)"),
    ),
)
def test_a_case_that_does_not_fail_is_not_reduced(verdict: Verdict, said: str) -> None:
    with pytest.raises(NothingToReduceError) as raised:
        reduce_case(Pretended(lambda _: False, verdict=verdict), make(EIGHT, *FOUR))
    assert str(raised.value) == said


def test_a_fault_that_is_not_there_is_named() -> None:
    with pytest.raises(NothingToReduceError, match=r"shows no leak \[MASK-2\]"):
        reduce_case(Pretended(denied_twice), make(EIGHT, *FOUR), fault=Fault("MASK-2", "leak"))


def test_a_candidate_that_cannot_be_run_is_not_taken() -> None:
    class Refusing(Pretended):
        def run(self, case: Case, repeat: int = 1) -> Run:
            if len(case.topology.entries) < 8:
                raise CaseError("no")
            return super().run(case, repeat)

    done = reduce_case(Refusing(denied_twice), make(EIGHT, *FOUR))
    assert len(done.case.topology.entries) == 8


def known(requirement: str, slug: str) -> Case:
    sources = [*vars(test_mask).values(), *vars(test_bind).values()]
    (case,) = (
        case
        for source in sources
        if getattr(source, "requirement", "") == requirement and hasattr(source, "cases")
        for case in source.cases()
        if case.id == slug
    )
    assert isinstance(case, Case)
    return case


def reduced(place: Place, helper: Path, case: Case) -> tuple[list[str], list[str], str, int]:
    with Ground(launch_user(), str(place.farms)) as ground:
        adapter, found = find(str(helper), None, {})
        done = reduce_case(Runner(ground, adapter, found), case)
    return tree_of(done.case), rules_of(done.case), done.fault.kind, done.reduced.launches


def test_bwrap_taken_literally_masks_one_file_once(place: Place) -> None:
    tree, rules, kind, asked = reduced(place, place.bwrap(), known("MASK-2", "alias-triple"))
    assert (tree, rules, kind) == (["key file"], ["deny key", "deny key"], "no-start")
    assert asked <= 30


def test_probes_that_a_report_has_written_out_are_dropped(place: Place) -> None:
    case = known("MASK-2", "alias-pair-absolute-file")
    with Ground(launch_user(), str(place.farms)) as ground:
        adapter, found = find(str(place.bwrap()), None, {})
        runner = Runner(ground, adapter, found)
        attached = runner.run(case).case
        assert attached.probes
        done = reduce_case(runner, evolve(attached, id="attached"))
    assert done.case.probes == ()


@pytest.mark.vendors
@pytest.mark.skipif(not CODEX.is_file(), reason="the release is not there")
@pytest.mark.parametrize(
    ("requirement", "slug", "tree", "rules"),
    (
        ("MASK-2", "alias-triple", ["key file", "link -> key"], ["deny key", "deny link"]),
        ("MASK-1", "home-file", ["file file", "link -> {farm}/file"], ["deny link"]),
    ),
)
def test_codex(place: Place, requirement: str, slug: str, tree: list[str], rules: list[str]) -> None:
    assert reduced(place, CODEX, known(requirement, slug))[:3] == (tree, rules, "no-start")
