# SPDX-License-Identifier: MIT
"""Generated tests: what is collected, how often it is launched, how findings become bugs, and what is told of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from boxproof.model.levels import PROFILES
from boxproof.report.json import schema
from boxproof.surface.examples import drawn_header
from boxproof.surface.options import Options
from tests.plugin.suite import BARE, GOOD, Ran, Suite
from tests.plugin.test_collect import ids

MODULE = """\
from boxproof.model.policy import Policy, Rule
from boxproof.model.suite import generates, relates
from boxproof.model.tree import parse_tree
from hypothesis import strategies as st

LINKED = parse_tree("ws/\\nstore/\\nstore/key file\\nstore/other file\\nlink -> store/key")
PLAIN = parse_tree("ws/\\nstore/\\nstore/key file\\nstore/other file")

@generates("MASK-1", "under", level={level!r})
def denied():
    spelled = st.sampled_from(["link", "store/key", "store/other"])
    return spelled.map(lambda name: (LINKED, Policy("ws", (Rule("rw", "ws"), Rule("deny", name)))))
"""
RELATION = """\

@relates("BIND-3", "repeated")
def repeated():
    return st.just((PLAIN, Policy("ws", (Rule("ro", "store"), Rule("rw", "ws")))))
"""
REFUSES_LINKS = 'case "$*" in *farm/link*) echo "cannot mask a link" >&2; exit 1 ;; esac; ' + GOOD
ONCE_IN_TWO = f'[ -e "$OPEN/odd" ] && rm "$OPEN/odd" && {{ echo no >&2; exit 1; }}; : >"$OPEN/odd"; {GOOD}'
REFUSES_REPEATS = 'case "$*" in *farm/store\\ *farm/store\\ *farm/store\\ *) echo "twice" >&2; exit 1 ;; esac; ' + GOOD


@pytest.fixture
def drawn(suite: Suite) -> Suite:
    """A suite of one generated source, which has three examples."""
    suite.write(MODULE.format(level="MUST"), "test_generated.py")
    return suite


def valid(ran: Ran) -> Ran:
    Draft202012Validator(schema()).validate(ran.report)
    return ran


def test_there_is_one_item_for_a_requirement_and_intent(drawn: Suite) -> None:
    assert ids(drawn.drive(GOOD, "--collect-only", "-q")) == ["test_generated.py::MASK-1[generated-under]"]


def test_with_several_helpers_there_is_one_for_each(drawn: Suite) -> None:
    helpers = [f"--helper={drawn.helper(GOOD, name)}" for name in ("a", "b")]
    ran = drawn.run(*helpers, f"--adapter={drawn.adapter()}", "--collect-only", "-q")
    assert [name.partition("::")[2] for name in ids(ran)] == [
        "MASK-1[generated-under-standin-a]",
        "MASK-1[generated-under-standin-b]",
    ]


def test_no_examples_is_no_item(drawn: Suite) -> None:
    assert ids(drawn.drive(GOOD, "--collect-only", "-q", "--examples=0")) == []


def test_a_level_that_is_not_judged_is_not_run(suite: Suite) -> None:
    suite.write(MODULE.format(level="SHOULD"), "test_generated.py")
    assert suite.drive(GOOD, "--profile=required", "--collect-only", "-q").status == 5


def test_all_examples_are_run_and_counted(drawn: Suite) -> None:
    ran = valid(drawn.drive(GOOD))
    assert (ran.status, ran.verdicts) == (0, {"MASK-1[generated-under]": "pass"})
    assert (ran.row["case"], ran.row["launches"]) == ("generated-under", 3)
    assert ran.row["reason"] == "3 examples: 3 pass"


def test_a_bug_is_told_once_by_its_smallest_case(drawn: Suite) -> None:
    ran = valid(drawn.drive(REFUSES_LINKS))
    assert (ran.status, ran.row["verdict"], ran.kinds) == (1, "fail", ["no-start"])
    assert "1 distinct bug" in ran.row["reason"]
    assert ran.text()[-2:] == [f"case file: {ran.row['case_file']}", f"replay: {ran.row['replay']}"]
    assert ran.row["launches"] > 3


def test_its_replay_line_shows_the_bug_again(drawn: Suite) -> None:
    ran = drawn.drive(REFUSES_LINKS)
    again = drawn.drive(REFUSES_LINKS, f"--case={ran.row['case_file']}")
    assert (again.status, again.row["verdict"], again.kinds) == (1, "fail", ["no-start"])
    assert drawn.drive(GOOD, f"--case={ran.row['case_file']}").status == 0


def test_a_helper_that_confines_nothing_fails_with_every_kind(drawn: Suite) -> None:
    ran = valid(drawn.drive(BARE + 'exec "$@"'))
    assert (ran.status, ran.row["verdict"]) == (1, "fail")
    assert {"unsandboxed", "leak"} <= set(ran.kinds)


def test_a_flaky_refusal_is_flaky_with_counts(drawn: Suite) -> None:
    ran = valid(drawn.drive(ONCE_IN_TWO))
    assert (ran.status, ran.row["verdict"]) == (1, "flaky")
    assert "of 20" in ran.out


def test_an_example_that_cannot_be_asked_is_counted(drawn: Suite) -> None:
    drawn.adapter(capabilities=["rw-rules"])
    ran = valid(drawn.drive(GOOD))
    assert ran.row["verdict"] == "not-applicable"
    assert "3 examples: 3 not-applicable" in ran.row["reason"]


def test_a_relation_holds(suite: Suite) -> None:
    suite.write(MODULE.format(level="MUST") + RELATION, "test_generated.py")
    ran = valid(suite.drive(GOOD, "-k", "repeated"))
    assert (ran.status, ran.row["verdict"], ran.row["launches"]) == (0, "pass", 2)


def test_a_relation_that_does_not_hold_is_told(suite: Suite) -> None:
    suite.write(MODULE.format(level="MUST") + RELATION, "test_generated.py")
    ran = valid(suite.drive(REFUSES_REPEATS, "-k", "repeated"))
    assert (ran.status, ran.row["verdict"], ran.kinds) == (1, "fail", ["inconsistent"])
    assert "    must come to the same with the first rule once more at the end" in ran.text()
    assert (ran.row["findings"][0]["seen"]) == "the case runs, that one is refused"


def test_a_relation_is_replayed_as_one(suite: Suite) -> None:
    """A model that knows one policy alone may find nothing wrong with either."""
    suite.write(MODULE.format(level="MUST") + RELATION, "test_generated.py")
    case_file = suite.drive(REFUSES_REPEATS, "-k", "repeated").row["case_file"]
    again = suite.drive(REFUSES_REPEATS, f"--case={case_file}")
    assert (again.status, again.kinds) == (1, ["inconsistent"])
    fixed = suite.drive(GOOD, f"--case={case_file}")
    assert (fixed.status, fixed.row["launches"]) == (0, 2)


def test_classes_are_counted_when_asked_for(drawn: Suite) -> None:
    ran = drawn.drive(GOOD, "--boxproof-stats")
    assert "      1 relative / deny / alone / plain" in ran.out
    assert "      2 no link / deny / alone / plain" in ran.out
    assert "by link, access, nesting and spelling" not in drawn.drive(GOOD).out


def test_workers_draw_and_tell_the_same(drawn: Suite) -> None:
    alone = valid(drawn.drive(REFUSES_LINKS, "--seed=7"))
    shared = valid(drawn.drive(REFUSES_LINKS, "--seed=7", "-p", "xdist", "-n", "2", apart=True))
    differing = {key for key in alone.row if alone.row[key] != shared.row[key]} - {"seconds"}
    assert differing == set()


def test_workers_begin_with_the_items_that_launch_twice(suite: Suite) -> None:
    suite.write(MODULE.format(level="MUST") + RELATION, "test_generated.py")
    out = suite.drive(GOOD, "-p", "xdist", "-n", "1", "-v", apart=True).out
    ran = [line.split()[-1] for line in out.splitlines() if line.startswith("[gw0]")]
    assert ran == ["test_generated.py::BIND-3[generated-repeated]", "test_generated.py::MASK-1[generated-under]"]


def test_a_random_seed_is_said(drawn: Suite) -> None:
    seed = drawn.drive(GOOD, "--seed=random").report["run"]["options"]["seed"]
    assert seed > 0
    assert drawn.drive(GOOD, f"--seed={seed}").status == 0


def test_the_nightly_profile_draws_more_cases_by_a_seed_that_is_said(drawn: Suite) -> None:
    own = ("-p", "_hypothesis_pytestplugin")
    options = drawn.drive(GOOD, *own, "--hypothesis-profile=nightly").report["run"]["options"]
    assert (options["examples"], options["seed"] > 0) == (500, True)
    again = drawn.drive(GOOD, *own, "--hypothesis-profile=nightly", f"--seed={options['seed']}")
    assert again.report["run"]["options"] == options


def test_the_header_says_what_draws_the_same_cases_again() -> None:
    """That line is what a nightly job leaves."""
    options = Options(
        helpers=(),
        adapter="",
        env={},
        profile=PROFILES["all"],
        strict=False,
        as_root=False,
        cases=(),
        repeat=1,
        timeout=0,
        reports=(),
        cases_out=Path(),
        farm_root=None,
        examples=500,
        seed=7,
        drawing="nightly",
    )
    (line,) = drawn_header(options)
    assert line.startswith("generated: --hypothesis-profile=nightly --examples=500 --seed=7, ")


def test_without_a_profile_the_same_cases_are_drawn_each_time(drawn: Suite) -> None:
    options = drawn.drive(GOOD).report["run"]["options"]
    assert (options["examples"], options["seed"]) == (50, 0)


@pytest.mark.parametrize("option", ("--examples=-1", "--examples=many", "--seed=x", "--seed=-1"))
def test_a_number_that_is_none_is_one_line(drawn: Suite, option: str) -> None:
    ran = drawn.drive(GOOD, option)
    assert (ran.status, f"{option} makes no sense" in ran.err) == (4, True)


def test_nothing_of_hypothesis_is_left(drawn: Suite) -> None:
    drawn.drive(GOOD)
    assert ".hypothesis" not in os.listdir(drawn.path)
