# SPDX-License-Identifier: MIT
"""What holds for every policy on every farm."""

from __future__ import annotations

from random import Random

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from boxproof.model.access import Meaning
from boxproof.model.case import Level
from boxproof.model.oracle import expect
from boxproof.model.outcome import Allowed, Expectation
from boxproof.model.policy import Rule
from boxproof.model.resolve import Tree
from boxproof.model.topology import Dir, Link, Topology
from tests.model.asked import FARM
from tests.model.policies import Drawn, drawn

STRENGTHS: tuple[Level, ...] = ("MUST", "SHOULD")


def bare(found: Expectation) -> Expectation:
    """Return an expectation without its words."""
    return evolve(found, why="", probes=tuple(Allowed(may.outcomes, may.real) for may in found.probes))


def meaning(case: Drawn, rules: tuple[Rule, ...] | None = None) -> Meaning:
    asked = case.case(rules=rules)
    return Meaning(Tree(asked.topology, FARM), asked.policy)


@given(drawn(), st.randoms(use_true_random=False))
def test_the_order_of_the_rules_changes_nothing(case: Drawn, rng: Random) -> None:
    shuffled = tuple(rng.sample(case.policy.rules, len(case.policy.rules)))
    for level in STRENGTHS:
        known = bare(expect(case.case(level), FARM))
        assert bare(expect(case.case(level, case.policy.rules[::-1]), FARM)) == known
        assert bare(expect(case.case(level, shuffled), FARM)) == known


@given(drawn())
def test_a_rule_said_again_changes_nothing(case: Drawn) -> None:
    assert bare(expect(case.case(rules=case.policy.rules * 2), FARM)) == bare(expect(case.case(), FARM))


@given(drawn())
def test_the_canonical_spelling_means_the_same(case: Drawn) -> None:
    known = meaning(case)
    canonical = tuple(Rule(named.rule.access, named.real) for named in known.named if named.real)
    assert meaning(case, canonical).plain.rules == known.plain.rules


@given(drawn())
def test_a_read_only_rule_that_leads_nowhere_changes_nothing(case: Drawn) -> None:
    entries = (Dir("zz"), Link("zz/loop", "loop"), Link("zz/gone", "none/at/all"))
    farm = Drawn(Topology((*case.topology.entries, *entries)), case.policy)
    asked = farm.case()
    known = expect(asked, FARM)
    for name in ("zz/loop", "zz/gone", "zz/none/at/all", "zz/loop/id"):
        more = expect(evolve(asked, policy=evolve(asked.policy, rules=(Rule("ro", name), *asked.policy.rules))), FARM)
        assert evolve(bare(more), launch=known.launch) == bare(known)


@given(drawn())
def test_a_secret_is_never_writable_and_never_allowed(case: Drawn) -> None:
    for level in STRENGTHS:
        found = expect(case.case(level), FARM)
        assert not found.secret & found.writable
        assert not [may for may in found.probes if may.real in found.secret and "allowed" in may.outcomes]


@given(drawn())
def test_what_must_hold_should_hold(case: Drawn) -> None:
    must, should = expect(case.case("MUST"), FARM), expect(case.case("SHOULD"), FARM)
    assert should.launch <= must.launch
    assert should.secret >= must.secret
    assert should.writable <= must.writable
    assert should.fixed >= must.fixed
    for strict, lenient in zip(should.probes, must.probes, strict=True):
        assert strict.outcomes <= lenient.outcomes
        assert strict.real == lenient.real


@given(drawn())
def test_something_may_always_come_of_a_probe(case: Drawn) -> None:
    found = expect(case.case(), FARM)
    assert all(may.outcomes for may in found.probes)
    assert "ran" in found.launch
    assert found.launch == {"ran", "refused"} if found.why else {"ran"}


@given(drawn())
def test_what_must_be_denied_is_denied_to_every_spelling(case: Drawn) -> None:
    asked = case.case()
    found = expect(asked, FARM)
    reads = [may for probe, may in zip(asked.probes, found.probes, strict=True) if probe.operation == "read"]
    for may in reads:
        if may.outcomes == {"denied", "absent"} and may.real:
            assert not [other for other in reads if other.real == may.real and "allowed" in other.outcomes]


@given(drawn())
def test_a_deny_more_takes_and_never_gives(case: Drawn) -> None:
    """A deny on an object of its own leaves nothing readable that was not."""
    asked = case.case()
    denied = evolve(asked.policy, rules=(*asked.policy.rules, Rule("deny", "b/z")))
    before, after = expect(asked, FARM), expect(evolve(asked, policy=denied), FARM)
    assert after.writable <= before.writable
    for was, now in zip(before.probes, after.probes, strict=True):
        assert "allowed" in was.outcomes or "allowed" not in now.outcomes


@given(drawn())
def test_groups_are_of_reads_of_one_object(case: Drawn) -> None:
    asked = case.case()
    found = expect(asked, FARM)
    for group in found.one_of:
        assert {asked.probes[number].operation for number in group} == {"read"}
        assert len({found.probes[number].real for number in group}) == 1
        assert all("allowed" in found.probes[number].outcomes for number in group)
