# SPDX-License-Identifier: MIT
"""Known bugs of generated items: by their smallest case, and never in the way of the next one."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from boxproof.cli import main
from tests.plugin.suite import GOOD, Ran, Suite
from tests.plugin.test_report import timeless, valid

MODULE = """\
from boxproof.model.policy import Policy, Rule
from boxproof.model.suite import generates
from boxproof.model.tree import parse_tree
from hypothesis import strategies as st

LINKED = parse_tree("ws/\\nstore/\\nstore/key file\\nstore/other file\\nstore/third file\\nlink -> store/key")

def spelled():
    names = st.lists(st.sampled_from(["link", "store/third", "store/other"]), min_size=1, max_size=2, unique=True)
    rules = names.map(lambda chosen: [Rule("deny", name) for name in chosen])
    return rules.map(lambda denied: (LINKED, Policy("ws", (Rule("rw", "ws"), *denied))))

@generates("MASK-1", "under")
def denied():
    return spelled()
"""
LINK = r'case "$*" in *farm/link\ --*) echo "cannot mask a link" >&2; exit 1 ;; esac; '
OTHER = r'case "$*" in *store/other\ --*) echo "cannot mask another" >&2; exit 1 ;; esac; '
"""What a stand-in refuses: a rule through a link, and one by the real path of an object."""
ODD_LINK = f'[ -e "$OPEN/odd" ] && {{ rm "$OPEN/odd"; {LINK} }} || : >"$OPEN/odd"; '
SECOND = """
@generates("MASK-2", "pair")
def pairs():
    return spelled()
"""
ITEM = "MASK-1[generated-under]"


@pytest.fixture
def drawn(suite: Suite) -> Suite:
    """A suite of one generated item."""
    suite.write(MODULE, "test_generated.py")
    return suite


def learn(suite: Suite, body: str, *arguments: str) -> Path:
    """Return the baseline that comes of a run, its reasons filled in."""
    suite.drive(body, *arguments)
    file = suite.path / "known.toml"
    words = ["baseline", str(suite.path / "run.json"), "-o", str(file), "--reason=links are not masked"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return file


def known(suite: Suite, body: str, *arguments: str, apart: bool = False) -> Ran:
    return suite.drive(body, "--baseline=known.toml", *arguments, apart=apart)


def test_a_known_bug_is_an_expected_failure(drawn: Suite) -> None:
    file = learn(drawn, LINK + GOOD)
    ran = known(drawn, LINK + GOOD)
    valid(ran)
    assert (ran.status, ran.row["verdict"], set(ran.kinds)) == (0, "expected-fail", {"no-start"})
    assert ran.row["reason"].startswith("known: links are not masked; ")
    (bug,) = ran.row["bugs"]
    assert (bug["known"], "deny " in bug["case"]) == ("links are not masked", True)
    assert "links are not masked" in ran.out.partition("= known failures =")[2]
    assert file.read_text("utf-8").count("[[known]]") == 1


def test_the_next_bug_is_told_all_the_same(drawn: Suite) -> None:
    learn(drawn, LINK + GOOD)
    ran = known(drawn, LINK + OTHER + GOOD)
    assert (ran.status, ran.row["verdict"]) == (1, "fail")
    new, old = ran.row["bugs"]
    assert (new["known"], old["known"]) == ("", "links are not masked")
    assert "deny store/other" in new["case"]
    assert "deny link" in old["case"]
    assert "1 distinct bug of MASK-1[generated-under]; known: links are not masked" in ran.out


def test_both_known_explain_an_example_that_shows_both(drawn: Suite) -> None:
    file = learn(drawn, LINK + OTHER + GOOD)
    assert file.read_text("utf-8").count("[[known]]") == 2
    ran = known(drawn, LINK + OTHER + GOOD)
    assert (ran.status, ran.row["verdict"], len(ran.row["bugs"])) == (0, "expected-fail", 2)


def test_a_bug_that_is_gone_is_an_unexpected_pass(drawn: Suite) -> None:
    learn(drawn, LINK + OTHER + GOOD)
    ran = known(drawn, OTHER + GOOD)
    assert (ran.status, ran.row["verdict"]) == (1, "unexpected-pass")
    assert "lists a failure that is gone: links are not masked" in ran.out
    assert "take the entry out of the baseline" in ran.out


def test_a_bug_of_another_kind_is_not_excused(drawn: Suite) -> None:
    file = learn(drawn, LINK + GOOD)
    file.write_text(file.read_text("utf-8").replace('"no-start"', '"leak"'), "utf-8")
    ran = known(drawn, LINK + GOOD)
    assert (ran.status, ran.row["verdict"], set(ran.kinds)) == (1, "fail", {"no-start"})


def test_another_item_is_explained_by_it_too(drawn: Suite) -> None:
    learn(drawn, LINK + GOOD)
    drawn.write(MODULE + SECOND, "test_generated.py")
    ran = known(drawn, LINK + GOOD)
    assert (ran.status, ran.verdicts) == (0, {ITEM: "expected-fail", "MASK-2[generated-pair]": "expected-fail"})


def test_one_bug_of_two_items_is_one_entry_and_one_line(drawn: Suite) -> None:
    drawn.write(MODULE + SECOND, "test_generated.py")
    ran = drawn.drive(LINK + GOOD)
    lines = ran.out.partition("= distinct bugs of generated cases =")[2].splitlines()
    assert lines[1].endswith(f": {ITEM}, MASK-2[generated-pair]")
    text = learn(drawn, LINK + GOOD).read_text("utf-8")
    assert text.count("[[known]]") == 1
    assert f'ids = ["{ITEM}", "MASK-2[generated-pair]"]' in text


def test_an_entry_of_a_bug_without_its_case_is_refused(drawn: Suite) -> None:
    file = learn(drawn, LINK + GOOD)
    file.write_text(file.read_text("utf-8").partition("[known.case]")[0], "utf-8")
    ran = known(drawn, LINK + GOOD)
    assert (ran.status, "is a generated item" in ran.err) == (4, True)


def test_a_flaky_bug_is_listed_as_flaky(drawn: Suite) -> None:
    file = learn(drawn, ODD_LINK + GOOD)
    assert "flaky = true" in file.read_text("utf-8")
    assert known(drawn, ODD_LINK + GOOD).row["verdict"] == "expected-fail"
    assert known(drawn, GOOD).status == 0


def test_without_examples_the_entry_is_not_missed(drawn: Suite) -> None:
    learn(drawn, LINK + GOOD)
    drawn.write("def test_own(): pass\n", "test_own.py")
    assert "is about no case" not in known(drawn, GOOD, "--examples=0").out


def test_workers_change_nothing(drawn: Suite) -> None:
    learn(drawn, LINK + GOOD)
    alone = known(drawn, LINK + OTHER + GOOD)
    shared = known(drawn, LINK + OTHER + GOOD, "-p", "xdist", "-n", "2", apart=True)
    assert timeless(valid(shared)) == timeless(valid(alone))


def test_only_where_nobody_asked_for_a_number_does_it_depend_on_the_helper(
    drawn: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boxproof.surface.generated.SLOW", 0.0)
    assert drawn.drive(GOOD).row["reason"].startswith("5 examples: 5 pass; a fifth of the examples, since a launch")
    assert drawn.drive(GOOD, "--examples=50").row["reason"] == "9 examples: 9 pass"
