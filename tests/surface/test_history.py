# SPDX-License-Identifier: MIT
"""Where answers change over versions, how few have to be tried for that, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from boxproof.errors import HelperError
from boxproof.model.outcome import Verdict
from boxproof.surface.history import FEW, Answer, Change, History, bisect, look
from boxproof.surface.history_versions import Release, as_given, by_version, version_in
from boxproof.surface.history_words import as_json, lines, sentences

PASS, FAIL = Answer(Verdict.PASS), Answer(Verdict.FAIL, ("no-start",), "no bind")
UNTOLD = Answer(Verdict.NOT_APPLICABLE, (), "it has no deny")
LETTERS = {"p": PASS, "f": FAIL, "?": UNTOLD, "y": Answer(Verdict.FLAKY, ("no-start",), "flaky: failed 1 of 3")}


def history(letters: str, *, every: bool = True) -> History:
    """Return the history of versions 1.0 and so on that answer as the letters say."""
    versions = [f"1.{number}" for number in range(len(letters))]
    return look(versions, lambda number: LETTERS[letters[number]], every=every)


def told(letters: str, *, every: bool = True) -> list[str]:
    return list(sentences(history(letters, every=every)))


@settings(derandomize=True, database=None, deadline=None)
@given(st.integers(2, 300), st.data(), st.sampled_from(("pf", "fp")))
def test_one_change_is_found_in_few_launches(count: int, data: st.DataObject, order: str) -> None:
    first = data.draw(st.integers(1, count - 1))
    answers = [LETTERS[order[number >= first]] for number in range(count)]
    tried = bisect(count, answers.__getitem__)
    found = History([str(number) for number in range(count)], tried).changes
    assert found == (Change("broke" if order == "pf" else "fixed", first - 1, first),)
    assert len(tried) <= math.ceil(math.log2(count)) + 2


@settings(derandomize=True, database=None, deadline=None)
@given(st.text("pf?", min_size=1, max_size=60))
def test_whatever_the_answers_a_change_that_is_told_is_one(letters: str) -> None:
    assume(set(letters) != {"?"})
    tried = bisect(len(letters), lambda number: LETTERS[letters[number]])
    found = History(letters, tried)
    ends = [LETTERS[letter].fails for letter in letters if letter != "?"]
    assert (len(found.changes) == 1) == (ends[0] != ends[-1])
    for change in found.changes:
        assert LETTERS[letters[change.after]].fails != LETTERS[letters[change.by]].fails
        assert set(letters[change.after + 1 : change.by]) <= {"?"}


def test_nothing_is_tried_twice() -> None:
    asked: list[int] = []

    def ask(number: int) -> Answer:
        asked.append(number)
        return UNTOLD if number % 2 else LETTERS["pf"[number > 20]]

    bisect(40, ask)
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize(
    ("letters", "says"),
    (
        ("ppff", ["broke between 1.1 and 1.2; the newest, 1.3, fails"]),
        ("ffp", ["fixed between 1.1 and 1.2; the newest, 1.2, passes"]),
        ("pyp", ["broke between 1.0 and 1.1; fixed between 1.1 and 1.2; the newest, 1.2, passes"]),
        ("p?f", ["broke between 1.0 and 1.2 (of 1.1 nothing can be told); the newest, 1.2, fails"]),
        ("pf?", ["broke between 1.0 and 1.1; the newest that can be judged, 1.1, fails"]),
        ("ppp", ["passes in all 3 versions"]),
        ("ff?", ["fails in all 2 versions; of 1 more nothing can be told"]),
        ("f", ["fails in the only version"]),
        ("??", ["no version can be judged"]),
    ),
)
def test_it_says_where_the_answer_changes(letters: str, says: Sequence[str]) -> None:
    assert told(letters) == says


def test_it_says_what_was_not_tried() -> None:
    assert told("p" * 6 + "f" * 6, every=False) == [
        "broke between 1.5 and 1.6; the newest, 1.11, fails",
        "7 of 12 versions were not tried and are taken to answer as those around them; --all tries each",
    ]
    assert told("p" * 5 + "ff" + "p" * 5, every=False) == [
        "passes in the oldest, 1.0, and in the newest, 1.11",
        "10 of 12 versions were not tried, and may answer otherwise; --all tries each",
    ]


def test_few_versions_are_all_tried() -> None:
    assert history("p" * (FEW - 2) + "fp", every=False).complete
    assert not history("p" * (FEW - 1) + "fp", every=False).complete


def test_the_newest_version_decides() -> None:
    assert [history(letters).fails for letters in ("pf", "fp", "py", "f?")] == [True, False, True, None]


def test_a_line_is_told_of_each_version_that_was_tried() -> None:
    assert list(lines(history("pf?")))[:3] == [
        "1.0  pass",
        "1.1  fail no-start  no bind",
        "1.2  cannot tell    not-applicable: it has no deny",
    ]


def test_a_long_line_loses_its_middle() -> None:
    answer = Answer(Verdict.FAIL, (), "helper: " + "because: " * 40 + "no such file")
    (line, _) = lines(History(["1.0"], {0: answer}))
    assert line.startswith("1.0  fail  helper: because:")
    assert line.endswith("because: no such file")
    assert len(line) < 130


def test_json_holds_what_was_not_tried_too() -> None:
    said = as_json(history("p" * 9 + "f", every=False))
    assert [row["version"] for row in said["versions"]] == [f"1.{number}" for number in range(10)]
    assert said["changes"] == [{"what": "broke", "after": "1.8", "by": "1.9"}]
    assert said["complete"] is False
    assert {"version": "1.1", "tried": False} in said["versions"]


@pytest.mark.parametrize(
    ("path", "version"),
    (
        (".cache/codex-0.115.0/package/vendor/x86_64-unknown-linux-musl/codex/codex", "0.115.0"),
        ("cursor/1.0.18/package/bin/cursorsandbox", "1.0.18"),
        ("helpers/v2.1/helper-2.1.3-rc.1", "2.1.3-rc.1"),
        ("/opt/py312/lib/helper", ""),
        ("known-bad:order-sensitive", ""),
    ),
)
def test_a_path_tells_the_version_nearest_to_its_end(path: str, version: str) -> None:
    assert version_in(path) == version


def releases(*names: str) -> list[Release]:
    return [Release(f"path/{number}", name, None) for number, name in enumerate(names)]


def test_versions_are_put_in_their_own_order() -> None:
    assert [each.name for each in by_version(releases("1.0.9", "1.0.10", "1.0.10rc1"))] == [
        "1.0.9",
        "1.0.10rc1",
        "1.0.10",
    ]


@pytest.mark.parametrize(
    ("names", "says"),
    (
        (("1.0", ""), "neither 'path/1' nor its path tells a version"),
        (("1.0", "1.0.0"), "'path/0' and 'path/1' are both 1.0"),
    ),
)
def test_versions_that_give_no_order_are_refused(names: Sequence[str], says: str) -> None:
    with pytest.raises(HelperError, match=says):
        by_version(releases(*names))


def test_an_order_that_is_given_needs_no_versions() -> None:
    assert [each.name for each in as_given(releases("2.0", "", "2.0"))] == ["path/0", "path/1", "path/2"]
