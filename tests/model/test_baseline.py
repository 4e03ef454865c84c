# SPDX-License-Identifier: MIT
"""Baseline files: what is read, what is refused, and what an entry is about."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxproof.errors import BoxproofError
from boxproof.model.baseline import Known, digest, load_baseline, parse_id
from boxproof.model.outcome import KINDS
from boxproof.model.policy import format_rule

DOCUMENTED = Path(__file__).parents[2] / "docs" / "reference" / "baseline-file.md"
PLAIN = """\
format = 1

[[known]]
ids = ["MASK-2[alias-pair-*]", "BIND-1[home]@layout:el9"]
kinds = ["no-start", "leftover"]
helper = "codex"
version = ">=0.170,<0.180"
reason = "one mask for each spelling"
reference = "openai/codex#52658"
expires = 2027-03-01
"""
BUG = """\
format = 1

[[known]]
ids = ["MASK-2[generated-pair]"]
kinds = ["no-start"]
reason = "one mask for each spelling"

[known.case]
tree = \"\"\"
key    file
link   -> key
\"\"\"

[known.case.policy]
cwd = "{farm}"
rules = ["deny key", "deny link"]
"""


def only(text: str) -> Known:
    (known,) = load_baseline(text, "known.toml").known
    return known


def test_a_digest_is_what_the_documented_command_prints() -> None:
    text = DOCUMENTED.read_text("utf-8")
    words = re.search(r"%s' (\S+) (\S+) '(\S+)' (\S+) \|", text)
    assert words
    helper, version, name, kind = words.groups()
    assert kind in KINDS
    found = digest(helper, version, name, next(each for each in KINDS if each == kind))
    assert f'withheld = ["{found}"]' in text
    known = only(f'format = 1\n[[known]]\nwithheld = ["{found}"]\nreason = "private"\n')
    assert not known.about("MASK-2", "alias-pair-absolute-file")
    clear = known.disclosed(helper, version, "MASK-2", "alias-pair-absolute-file")
    assert clear.about("MASK-2", "alias-pair-absolute-file")
    assert clear.kinds == {kind}
    assert known.disclosed(helper, "0.172.0", "MASK-2", "alias-pair-absolute-file") is known


def test_it_is_read() -> None:
    known = only(PLAIN)
    assert [str(each) for each in known.ids] == ["MASK-2[alias-pair-*]", "BIND-1[home]@layout:el9"]
    assert (sorted(known.kinds), known.expires, known.line) == (["leftover", "no-start"], date(2027, 3, 1), 4)
    assert known.words == "one mask for each spelling (openai/codex#52658)"
    assert (known.flaky, known.case) == (False, None)


def test_a_bug_of_generated_items_has_a_case() -> None:
    known = only(BUG)
    assert known.case is not None
    assert [format_rule(rule) for rule in known.case.policy.rules] == ["deny key", "deny link"]


def test_the_example_of_the_documentation_is_one() -> None:
    text = DOCUMENTED.read_text("utf-8").partition("```toml\n")[2].partition("```")[0]
    plain, generated = load_baseline(text, "known.toml").known
    assert (plain.versions, plain.expires) == ("<0.180,>=0.170", date(2027, 3, 1))
    assert generated.about("MASK-2", "generated-pair")


def test_an_empty_list_is_a_baseline() -> None:
    assert load_baseline("format = 1\n", "known.toml").known == ()


@pytest.mark.parametrize(
    ("requirement", "case", "ground", "about"),
    (
        ("MASK-2", "alias-pair-absolute-file", "host", True),
        ("MASK-2", "alias-pair-absolute-file", "layout:el9", True),
        ("MASK-2", "alias-triple", "host", False),
        ("MASK-22", "alias-pair-x", "host", False),
        ("BIND-1", "home", "layout:el9", True),
        ("BIND-1", "home", "host", False),
        ("MASK-2", "generated-pair", "host", False),
    ),
)
def test_what_an_entry_is_about(requirement: str, case: str, ground: str, *, about: bool) -> None:
    assert only(PLAIN).about(requirement, case, ground) is about


def test_only_with_a_case_is_it_about_generated_items() -> None:
    assert only(BUG).about("MASK-2", "generated-pair", "host")
    assert not only(PLAIN.replace("alias-pair-*", "*")).about("MASK-2", "generated-pair", "host")
    assert not only(BUG.replace("generated-pair", "*")).about("MASK-2", "alias-pair", "host")


def test_a_recorded_case_that_a_generated_item_found_is_listed_as_any_other() -> None:
    known = only(PLAIN.replace("alias-pair-*", "generated-pair-0627175db2"))
    assert known.about("MASK-2", "generated-pair-0627175db2", "host")
    assert not only(BUG.replace("-pair", "*")).about("MASK-2", "generated-pair-0627175db2", "host")


@pytest.mark.parametrize(
    ("version", "applies"),
    (("0.170.0", True), ("0.171.0-alpha.3", True), ("v0.179", True), ("0.180.0", False), ("", False), ("dev", False)),
)
def test_versions(version: str, *, applies: bool) -> None:
    assert only(PLAIN).applies_to({"codex", f"codex-{version}"}, version) is applies
    assert not only(PLAIN).applies_to({"cursorsandbox"}, version)


@pytest.mark.parametrize(("day", "expired"), ((date(2027, 3, 1), False), (date(2027, 3, 2), True)))
def test_the_last_day_still_counts(day: date, *, expired: bool) -> None:
    assert only(PLAIN).expired(day) is expired


@pytest.mark.parametrize(
    ("old", "new", "said"),
    (
        ("format = 1", "format = 2", "known.toml:1: 'format' is 2 (this version of Boxproof reads format 1)"),
        ("[[known]]", "[[knwon]]", "known.toml:3: 'knwon' is no known key; did you mean 'known'?"),
        ("reason =", "reasons =", "known.toml:8: 'known.reasons' is no known key; did you mean 'reason'?"),
        ('reason = "one mask for each spelling"', "", "known.toml:3: 'known.reason' is missing"),
        ("one mask for each spelling", " ", "known.toml:8: 'known.reason' is ''; write why"),
        ("one mask for each spelling", "to be explained", "known.toml:8: 'known.reason' is 'to be explained'; write"),
        ('["no-start", "leftover"]', "[]", "known.toml:5: 'known.kinds' is empty"),
        ("kinds =", "withheld = []\nkinds =", "known.toml:5: 'known.withheld' stands beside what it withholds"),
        ("kinds =", "withheld = ['leak']\nkinds =", "known.toml:5: 'known.withheld': 'leak' is no digest"),
        ('["no-start", "leftover"]', '"leak"', "known.toml:5: 'known.kinds' is a string; write an array"),
        ("leftover", "left-over", "known.toml:5: 'known.kinds': 'left-over' is no kind of finding; did you mean"),
        ("leftover", "*", "known.toml:5: 'known.kinds': '*' is no kind of finding"),
        ("MASK-2[alias-pair-*]", "MASK-2", "known.toml:4: 'known.ids': 'MASK-2' is no id; write one such as"),
        ("MASK-2[alias-pair-*]", "MASK-2[generated-pair]", "known.toml:4: 'MASK-2[generated-pair]' is a generated"),
        (">=0.170,<0.180", "0.170-0.180", "known.toml:7: 'known.version': '0.170-0.180' is no range of versions"),
        ("2027-03-01", '"2027-03-01"', "known.toml:10: 'known.expires' is a string; write a date"),
        ("2027-03-01", "2027-13-01", "known.toml:10: is not TOML"),
        ("2027-03-01", "2027-03-01T10:00:00", "known.toml:10: 'known.expires' is a date"),
    ),
)
def test_a_mistake_is_one_line_with_its_place(old: str, new: str, said: str) -> None:
    assert old in PLAIN
    with pytest.raises(BoxproofError) as raised:
        load_baseline(PLAIN.replace(old, new), "known.toml")
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    (
        ("deny key", "dny key", "known.toml:16: 'known.case.policy.rules': 'dny key' is no rule; did you mean 'deny'?"),
        ("link   ->", "link   >", "known.toml:11: 'known.case.tree': "),
        ('cwd = "{farm}"', "", "known.toml:14: 'known.case.policy.cwd' is missing"),
        ("tree =", "trees =", "known.toml:9: 'known.case.trees' is no known key; did you mean 'tree'?"),
        ("generated-pair", "alias-pair", "known.toml:4: 'MASK-2[alias-pair]' is no generated item"),
    ),
)
def test_a_mistake_in_the_case_of_a_bug(old: str, new: str, said: str) -> None:
    assert old in BUG
    with pytest.raises(BoxproofError) as raised:
        load_baseline(BUG.replace(old, new), "known.toml")
    assert str(raised.value).startswith(said), str(raised.value)


def test_while_it_is_written_a_reason_may_be_missing() -> None:
    text = PLAIN.replace("one mask for each spelling", "to be explained")
    assert load_baseline(text, "known.toml", unexplained=True).known


@given(st.text() | st.text(alphabet='[]known.="ids1\n-MASK*@é\\', max_size=60))
def test_no_text_is_a_traceback(text: str) -> None:
    for whole in (text, f"{PLAIN}{text}", f"format = 1\n[[known]]\n{text}"):
        try:
            load_baseline(whole, "known.toml")
        except BoxproofError as error:
            assert str(error).startswith("known.toml:")  # noqa: PT017 - most texts are refused, some are not


@given(st.from_regex(r"(MASK-[1-9]|\*)\[[a-z*]{1,5}(-[a-z*]{1,5})?\](@(host|layout:[a-z0-9]{1,4}))?", fullmatch=True))
def test_an_id_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_id(text)) == text
    assert parse_id(text.replace("*", "x").partition("@")[0].replace("x[", "MASK-1[")).ground == "*"


@given(st.lists(st.sampled_from("ab-"), min_size=1, max_size=6).map("".join), st.integers(0, 5), st.integers(0, 6))
def test_a_star_stands_for_anything(case: str, start: int, length: int) -> None:
    pattern = f"MASK-1[{case[:start]}*{case[start + length :]}]"
    assert parse_id(pattern).matches("MASK-1", case, "host")
    assert parse_id(f"MASK-1[{case}]").matches("MASK-1", case, None)
    assert not parse_id(f"MASK-1[{case}]").matches("MASK-1", f"{case}x", "host")
