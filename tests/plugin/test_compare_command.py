# SPDX-License-Identifier: MIT
"""``boxproof compare`` and ``boxproof baseline`` over the reports of real runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from boxproof.cli import main
from boxproof.model.baseline import digest, load_baseline
from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import GOOD, Suite

REFUSES = "echo 'no user namespaces here' >&2; exit 1"
REFUSES_ONE = 'case "$*" in *store/one*) echo "cannot mask" >&2; exit 1 ;; esac; ' + GOOD


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, words)))


@pytest.fixture
def two(suite: Suite) -> Suite:
    """A suite of two cases."""
    cases = [
        case_text(name, tree=f"ws/\nws/file file\nstore/\nstore/{name} file\n", rules=["rw ws", f"deny store/{name}"])
        for name in ("one", "two")
    ]
    suite.write(module_text(*cases), "test_mask.py")
    return suite


def report(suite: Suite, body: str, name: str, *arguments: str) -> Path:
    """Return the report of a run."""
    suite.drive(body, *arguments)
    return (suite.path / "run.json").rename(suite.path / name)


def test_what_is_broken_is_1(two: Suite) -> None:
    old, new = report(two, REFUSES_ONE, "old.json"), report(two, REFUSES, "new.json")
    done = call("compare", old, new)
    assert done.exit_code == 1
    assert done.output.splitlines() == [
        "standin-standin -> standin-standin",
        "broken: 1",
        "  MASK-1[two]: pass -> fail (no-start)",
        "same: 1",
    ]
    back = call("compare", new, old)
    assert (back.exit_code, back.output.splitlines()[1:3]) == (
        0,
        ["fixed: 1", "  MASK-1[two]: fail (no-start) -> pass"],
    )


def test_machines_read_json(two: Suite) -> None:
    old, new = report(two, REFUSES_ONE, "old.json"), report(two, REFUSES, "new.json")
    done = call("compare", old, new, "--json")
    told = json.loads(done.output)
    assert (done.exit_code, told["format"], told["same"], told["fixed"]) == (1, 1, 1, [])
    (row,) = told["broken"]
    assert (row["id"], row["old"]["verdict"], row["new"]["kinds"]) == ("MASK-1[two]", "pass", ["no-start"])


@pytest.mark.parametrize("text", (None, "", "{}", "[1", '{"format": 9}'))
def test_what_is_no_report_is_one_line(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "report.json"
    if text is not None:
        path.write_text(text, "utf-8")
    for words in (("compare", path, path), ("baseline", path, "-o", tmp_path / "known.toml")):
        done = call(*words)
        assert (done.exit_code, len(done.stderr.splitlines()), done.stdout) == (2, 1, "")
    assert not (tmp_path / "known.toml").exists()


def test_what_is_withheld_is_listed_already(two: Suite) -> None:
    known = two.path / "known.toml"
    digests = [digest("standin", "standin", f"MASK-1[{case}]", "no-start") for case in ("one", "two")]
    old = f'format = 1\n\n[[known]]\nwithheld = {json.dumps(digests)}\nreason = "not public yet"\n'
    known.write_text(old, encoding="utf-8")
    done = call("baseline", report(two, REFUSES, "old.json"), "-o", known)
    assert "0 new, 1 kept, 0 ids taken out" in done.output
    assert known.read_text("utf-8") == old


def test_a_baseline_from_a_run_makes_the_next_run_0(two: Suite) -> None:
    known = two.path / "known.toml"
    done = call("baseline", report(two, REFUSES, "old.json"), "-o", known, "--reason=no masks", "--reference=a/b#1")
    assert (done.exit_code, done.output) == (0, f"{known}: 1 new, 0 kept, 0 ids taken out\n")
    ran = two.drive(REFUSES, "--baseline=known.toml")
    assert (ran.status, set(ran.verdicts.values())) == (0, {"expected-fail"})
    ran = two.drive(REFUSES_ONE, "--baseline=known.toml")
    assert (ran.status, ran.verdicts) == (1, {"MASK-1[one]": "expected-fail", "MASK-1[two]": "unexpected-pass"})


def test_reasons_are_to_be_filled_in(two: Suite) -> None:
    known = two.path / "known.toml"
    done = call("baseline", report(two, REFUSES, "old.json"), "-o", known)
    assert "reasons to fill in: 1" in done.output
    ran = two.drive(REFUSES, "--baseline=known.toml")
    assert (ran.status, "'known.reason' is 'to be explained'; write why" in ran.err) == (4, True)
    known.write_text(known.read_text("utf-8").replace("to be explained", "no masks"), "utf-8")
    assert two.drive(REFUSES, "--baseline=known.toml").status == 0


def test_what_a_person_has_written_is_kept(two: Suite) -> None:
    known = two.write(
        '# ours\nformat = 1\n[[known]]\nids = ["MASK-1[two]"] # the second\nkinds = ["no-start", "crash"]\n'
        'reason = "no masks"\nexpires = 9999-01-01\n',
        "known.toml",
    )
    before = known.read_text("utf-8")
    done = call("baseline", report(two, REFUSES, "old.json"), "-o", known)
    assert f"{known}: 1 new, 1 kept, 0 ids taken out" in done.output
    assert known.read_text("utf-8").startswith(before)
    again = known.read_text("utf-8")
    call("baseline", two.path / "old.json", "-o", known)
    assert known.read_text("utf-8") == again


def test_what_passes_now_is_taken_out(two: Suite) -> None:
    known = two.path / "known.toml"
    call("baseline", report(two, REFUSES, "old.json"), "-o", known, "--reason=no masks")
    new = report(two, REFUSES_ONE, "new.json", "--baseline=known.toml")
    done = call("baseline", new, "-o", known)
    assert (done.exit_code, done.output.splitlines()[1]) == (0, "  passes now: MASK-1[two]")
    (entry,) = load_baseline(known.read_text("utf-8"), "known.toml").known
    assert [str(each) for each in entry.ids] == ["MASK-1[one]"]
    call("baseline", report(two, GOOD, "good.json"), "-o", known)
    assert load_baseline(known.read_text("utf-8"), "known.toml").known == ()


def test_a_part_of_the_suite_takes_nothing_else_out(two: Suite) -> None:
    known = two.path / "known.toml"
    call("baseline", report(two, REFUSES, "old.json"), "-o", known, "--reason=no masks")
    before = known.read_text("utf-8")
    call("baseline", report(two, REFUSES, "part.json", "-k", "one"), "-o", known)
    assert known.read_text("utf-8") == before


@pytest.mark.parametrize(
    ("text", "said"),
    (
        ("format = 1\n[[known]]\n", "known.toml:2: 'known.ids' is missing"),
        ("format = 1\nknown = []\n", "known.toml: 'known' is written in one piece; write each entry below [[known]]"),
        ("{", "known.toml:1: is not TOML"),
    ),
)
def test_an_old_file_that_is_none_is_left_alone(two: Suite, text: str, said: str) -> None:
    known = two.write(text, "known.toml")
    done = call("baseline", report(two, REFUSES, "old.json"), "-o", known)
    assert (done.exit_code, said in done.stderr, known.read_text("utf-8")) == (2, True, text)


@pytest.mark.parametrize("name", (".", "nowhere/known.toml"))
def test_a_place_that_takes_no_file_is_one_line(two: Suite, name: str) -> None:
    done = call("baseline", report(two, REFUSES, "old.json"), "-o", two.path / name)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
