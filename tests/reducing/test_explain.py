# SPDX-License-Identifier: MIT
"""What known bugs leave of a failing case, and how failing examples become bugs beside known ones."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from boxproof.model.case import Case
from boxproof.model.outcome import Finding, Judgement, Kind, Verdict
from boxproof.reducing.believe import Fault
from boxproof.reducing.explain import Explained, Explainer, Pattern
from boxproof.runner import Run
from boxproof.surface.bugs import Found, KnownBug, find_bugs
from tests.reducing.helpers import Counted, denied_twice, make, rules_of, through
from tests.reducing.test_repair import ABSOLUTE, PAIR, TREE

FAULT = Fault("MASK-2", "no-start")
ABSOLUTE_LINK = through("{farm}")
BOTH = make(TREE, "deny a/key", "deny b/one", "deny b/abs")


def either(case: Case) -> bool:
    return denied_twice(case) or ABSOLUTE_LINK(case)


def explain(case: Case, fails: Callable[[Case], bool], *known: Case) -> Explained:
    explainer = Explainer(lambda each: frozenset({FAULT} if fails(each) else ()), FAULT)
    return explainer.explain(case, [Pattern(each) for each in known])


def test_a_case_of_the_known_bug_leaves_nothing() -> None:
    assert explain(make(TREE, "rw ws", "deny b/one", "deny a/key"), denied_twice, PAIR) == Explained(None, 0)


def test_the_known_case_itself_is_not_launched() -> None:
    asked = Counted(lambda _: True)
    assert explain(make("file file\nb -> file", "deny b", "deny file", cwd="{farm}"), asked, ABSOLUTE, PAIR).by == 1
    assert asked.asked == []


def test_what_the_repair_leaves_is_the_other_bug() -> None:
    left = explain(BOTH, either, PAIR)
    assert left.rest is not None
    assert ABSOLUTE_LINK(left.rest)
    assert not denied_twice(left.rest)


def test_two_known_bugs_explain_a_case_of_both() -> None:
    assert explain(BOTH, either, PAIR, ABSOLUTE).rest is None
    assert explain(BOTH, either, ABSOLUTE, PAIR).rest is None


def test_a_case_that_does_not_hold_it_is_left_whole() -> None:
    case = make(TREE, "ro ws")
    assert explain(case, lambda _: True, PAIR, ABSOLUTE) == Explained(case)


def test_a_helper_that_fails_without_any_rule_fails_whatever_the_policy_says() -> None:
    assert explain(BOTH, lambda _: True, make("ws/")).by == 0


def test_a_flaky_bug_is_repaired_only_if_several_launches_pass() -> None:
    answers = iter([False, False, True, *[False] * 100])
    explainer = Explainer(lambda _: frozenset({FAULT} if next(answers) else ()), FAULT)
    assert explainer.explain(make(TREE, "deny b/one", "deny a/key"), [Pattern(PAIR, 5)]).rest is not None


@define
class Pretended:
    """A runner whose helper has several faults, each with a kind of its own."""

    faults: dict[Kind, Callable[[Case], bool]]
    asked: list[Case] = field(factory=list)

    def run(self, case: Case, repeat: int = 1) -> Run:
        self.asked.append(case)
        kinds = [kind for kind, fails in self.faults.items() if fails(case)]
        findings = tuple(Finding(kind, case.requirement, "that", "this") for kind in kinds)
        return Run(case, Judgement(Verdict.FAIL if findings else Verdict.PASS, findings), launches=repeat)


def found(runner: Pretended, *known: KnownBug, cases: tuple[Case, ...] = (BOTH,)) -> Found:
    return find_bugs(runner, [(case, runner.run(case)) for case in cases], known)


def known(case: Case, *kinds: Kind) -> KnownBug:
    return KnownBug(Pattern(case), frozenset(kinds))


def test_without_a_baseline_one_bug_is_found_and_the_next_behind_it() -> None:
    cases = (BOTH, make(TREE, "deny a/key", "deny b/two"))
    told = found(Pretended({"no-start": either}), cases=cases)
    assert sorted(len(rules_of(bug.case)) for bug in told.bugs) == [1, 2]


def test_a_known_bug_is_counted_and_the_next_is_told() -> None:
    told = found(Pretended({"no-start": either}), known(PAIR, "no-start"))
    assert [len(rules_of(bug.case)) for bug in told.bugs] == [1]
    assert told.explained == (0,)


def test_where_all_is_known_nothing_is_told() -> None:
    told = found(Pretended({"no-start": either}), known(PAIR, "no-start"), known(ABSOLUTE, "no-start"))
    assert (told.bugs, sum(told.explained)) == ((), 1)


def test_another_kind_of_the_known_case_is_told() -> None:
    runner = Pretended({"no-start": denied_twice, "leftover": denied_twice})
    told = found(runner, known(PAIR, "no-start"))
    assert [bug.fault.kind for bug in told.bugs] == ["leftover"]
    assert told.explained == (1,)


def test_at_most_three_are_made_small() -> None:
    def fails(case: Case) -> bool:
        return len(case.policy.rules) == 3

    cases = tuple(make(TREE, *rules, "rw ws") for rules in (("ro a", "ro b"), ("ro b", "deny a"), ("deny a", "deny b")))
    cases += tuple(make(TREE, "rw a", rule, "ro ws") for rule in ("rw b", "ro b", "deny b"))
    told = found(Pretended({"no-start": fails}), cases=cases)
    assert 1 <= len(told.bugs) <= 3
    assert {bug.number for bug in told.bugs} == {6}
