# SPDX-License-Identifier: MIT
"""Known failures: what a listed case comes to, and that nothing is excused but what is listed."""

from __future__ import annotations

import pytest

from boxproof.model.baseline import digest
from boxproof.model.outcome import KINDS
from boxproof.report.failure import PRIVATE
from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import BARE, CAPABILITIES, GOOD, Ran, Suite
from tests.plugin.test_report import timeless, valid

REFUSES = "echo 'no user namespaces here' >&2; exit 1"
UNSANDBOXED = BARE + 'exec "$@"'
ODD = '[ -e "$OPEN/odd" ] && rm "$OPEN/odd" && { echo no >&2; exit 1; }; : >"$OPEN/odd"; ' + GOOD


def entry(ids: str = "MASK-1[plain]", kinds: str = "no-start", extra: str = "") -> str:
    """Return a baseline of one entry; `ids` and `kinds` with blanks between them."""
    lists = [f"{key} = {words.split()!r}" for key, words in (("ids", ids), ("kinds", kinds))]
    return "\n".join(["format = 1", "[[known]]", *lists, 'reason = "two masks"', extra, ""])


def judge(suite: Suite, body: str, baseline: str, *arguments: str, level: str = "MUST") -> Ran:
    """Run one case under a stand-in, with a baseline."""
    suite.write(module_text(case_text(level=level)), "test_mask.py")
    suite.write(baseline, "known.toml")
    return suite.drive(body, "--baseline=known.toml", *arguments)


@pytest.mark.parametrize("level", ("MUST", "SHOULD", "RECORD"))
def test_a_listed_failure_is_expected(suite: Suite, level: str) -> None:
    ran = judge(suite, REFUSES, entry(extra='reference = "a/b#1"'), "--profile=all", "--strict", level=level)
    assert (ran.status, ran.row["verdict"], ran.kinds) == (0, "expected-fail", ["no-start"])
    assert ran.row["reason"] == "known: two masks (a/b#1)"
    assert (ran.report["run"]["met"], ran.report["summary"]["expected-fail"]) == (True, 1)
    assert "known.toml:3: 1 case: two masks (a/b#1)" in ran.out
    assert "1 xfailed" in ran.out
    assert "not met, and not required" not in ran.out


@pytest.mark.parametrize("level", ("MUST", "SHOULD", "RECORD"))
def test_a_listed_case_that_passes_fails_the_run(suite: Suite, level: str) -> None:
    ran = judge(suite, GOOD, entry(), "--profile=all", level=level)
    assert (ran.status, ran.row["verdict"], ran.kinds) == (1, "unexpected-pass", [])
    assert "known.toml:3 lists a failure that is gone: two masks" in ran.row["reason"]
    assert "take MASK-1[plain] out of the baseline" in ran.out
    assert ran.report["run"]["unmet"] == ["MASK-1 has 1 unexpected-pass"]


def test_another_kind_on_a_listed_case_fails(suite: Suite) -> None:
    ran = judge(suite, UNSANDBOXED, entry(kinds="no-start leak"))
    assert (ran.status, ran.row["verdict"]) == (1, "fail")
    assert "escape, unsandboxed is new here: known.toml:3 does not list it" in ran.row["reason"]
    assert ran.text()[-2:] == [f"case file: {ran.row['case_file']}", f"replay: {ran.row['replay']}"]
    assert judge(suite, UNSANDBOXED, entry(kinds="unsandboxed leak escape")).status == 0


def withheld(*kinds: str) -> str:
    """Return a baseline of one entry in digests."""
    digests = [digest("standin", "standin", "MASK-1[plain]", kind) for kind in KINDS if kind in kinds]
    return f'format = 1\n[[known]]\nwithheld = {digests!r}\nreason = "not public yet"\n'


def test_a_withheld_failure_is_expected_and_told_in_full(suite: Suite) -> None:
    ran = judge(suite, UNSANDBOXED, withheld("unsandboxed", "leak", "escape"))
    assert (ran.status, ran.row["verdict"]) == (0, "expected-fail")
    assert ran.row["reason"] == "known: not public yet"
    assert PRIVATE in ran.out
    assert "known.toml:3: 1 case: not public yet" in ran.out
    assert ran.report["run"]["notes"] == []


def test_a_digest_is_one_kind_of_one_case(suite: Suite) -> None:
    assert "escape, leak is new here" in judge(suite, UNSANDBOXED, withheld("unsandboxed")).row["reason"]
    other = judge(suite, UNSANDBOXED, f'format = 1\n[[known]]\nwithheld = ["{"0" * 64}"]\nreason = "private"\n')
    assert (other.status, other.row["verdict"]) == (1, "fail")
    assert other.report["run"]["notes"] == ["known.toml:3 is about no case of this run: withheld"]


def test_a_withheld_failure_that_is_gone_fails_the_run(suite: Suite) -> None:
    ran = judge(suite, GOOD, withheld("leak"))
    assert (ran.status, ran.row["verdict"]) == (1, "unexpected-pass")
    assert "known.toml:3 lists a failure that is gone: not public yet" in ran.row["reason"]


def test_kinds_of_several_entries_add_up(suite: Suite) -> None:
    both = entry(kinds="unsandboxed leak") + entry("MASK-*[pl*]@host", "escape").removeprefix("format = 1")
    ran = judge(suite, UNSANDBOXED, both)
    assert (ran.status, ran.row["verdict"], ran.row["reason"]) == (0, "expected-fail", "known: two masks")


@pytest.mark.parametrize(
    ("ids", "extra"),
    (
        ("MASK-1[other]", ""),
        ("MASK-2[plain]", ""),
        ("MASK-1[plain]@layout:el9", ""),
        ("MASK-1[plain]", 'helper = "codex*"'),
        ("MASK-1[plain]", 'version = ">=0.1"'),
    ),
    ids=["case", "requirement", "ground", "helper", "version"],
)
def test_an_entry_about_something_else_excuses_nothing(suite: Suite, ids: str, extra: str) -> None:
    ran = judge(suite, REFUSES, entry(ids, extra=extra))
    assert (ran.status, ran.row["verdict"], ran.row["reason"]) == (1, "fail", "")


@pytest.mark.parametrize(("versions", "status"), ((">=1.2,<1.3", 0), ("==1.2.*", 0), ("<1.2", 1)))
def test_a_range_of_versions(suite: Suite, versions: str, status: int) -> None:
    suite.write(module_text(case_text()), "test_mask.py")
    suite.write(entry(extra=f'helper = "standin"\nversion = "{versions}"'), "known.toml")
    helper = suite.helper(REFUSES, "1.2.7-beta")
    ran = suite.run(f"--helper={helper}", f"--adapter={suite.adapter()}", "--baseline=known.toml")
    assert ran.status == status


def test_an_expired_entry_excuses_nothing_and_says_so(suite: Suite) -> None:
    ran = judge(suite, REFUSES, entry(extra="expires = 2020-02-29"))
    assert (ran.status, ran.row["verdict"]) == (1, "fail")
    assert "known.toml:3 listed it until 2020-02-29" in ran.row["reason"]
    assert ran.report["run"]["notes"] == ["known.toml:3 excuses nothing since 2020-02-29: two masks"]
    assert judge(suite, REFUSES, entry(extra="expires = 9999-12-31")).status == 0


def test_where_the_case_passes_an_expired_entry_is_only_mentioned(suite: Suite) -> None:
    ran = judge(suite, GOOD, entry(extra="expires = 2020-02-29"))
    assert (ran.status, ran.row["verdict"]) == (0, "pass")
    assert "known.toml:3 excuses nothing since 2020-02-29: two masks" in ran.out


def test_an_entry_about_no_case_is_mentioned(suite: Suite) -> None:
    ran = judge(suite, GOOD, entry("MASK-1[misspelt]"))
    said = "known.toml:3 is about no case of this run: MASK-1[misspelt]"
    assert (ran.status, ran.report["run"]["notes"], said in ran.out) == (0, [said], True)
    assert judge(suite, GOOD, entry("MASK-1[misspelt]"), "-k", "plain").report["run"]["notes"] == []


def test_an_entry_of_a_level_that_is_not_run_is_not_mentioned(suite: Suite) -> None:
    suite.write(module_text(case_text("should", level="SHOULD"), case_text()), "test_mask.py")
    suite.write(entry("MASK-1[should]"), "known.toml")
    ran = suite.drive(GOOD, "--baseline=known.toml", "--profile=required")
    assert (ran.status, ran.report["run"]["notes"]) == (0, [])


def test_a_flaky_entry_may_pass_and_fail(suite: Suite) -> None:
    flaky = entry(extra="flaky = true")
    assert judge(suite, ODD, flaky, "--repeat=2").row["verdict"] == "expected-fail"
    assert judge(suite, REFUSES, flaky).row["verdict"] == "expected-fail"
    ran = judge(suite, GOOD, flaky)
    assert (ran.status, ran.row["verdict"]) == (0, "pass")


def test_of_several_entries_one_is_enough_to_call_it_flaky(suite: Suite) -> None:
    both = entry() + entry(extra="flaky = true").removeprefix("format = 1")
    assert [judge(suite, body, both).row["verdict"] for body in (GOOD, REFUSES)] == ["pass", "expected-fail"]
    assert judge(suite, ODD, both, "--repeat=2").row["verdict"] == "expected-fail"


def test_a_failure_that_became_flaky_is_news(suite: Suite) -> None:
    ran = judge(suite, ODD, entry(), "--repeat=2")
    assert (ran.status, ran.row["verdict"]) == (1, "flaky")
    assert "known.toml:3 lists it, but not as flaky" in ran.row["reason"]


def test_trouble_and_what_cannot_be_asked_stay_what_they_are(suite: Suite) -> None:
    suite.write(module_text(case_text(), case_text("open", rules=["rw ws"])), "test_mask.py")
    suite.write(module_text(case_text("no-control", probes=["read store/none: denied"])), "test_more.py")
    suite.write(entry("MASK-1[*]"), "known.toml")
    suite.adapter(capabilities=[word for word in CAPABILITIES if word != "deny"])
    ran = suite.drive(REFUSES, "--baseline=known.toml")
    assert ran.verdicts == {
        "MASK-1[no-control]": "not-applicable",
        "MASK-1[open]": "expected-fail",
        "MASK-1[plain]": "not-applicable",
    }
    suite.adapter()
    ran = suite.drive(REFUSES, "--baseline=known.toml")
    assert (ran.status, ran.verdicts["MASK-1[no-control]"]) == (1, "error")


def test_an_allowed_refusal_of_a_listed_case_is_a_pass(suite: Suite) -> None:
    suite.write(case_text(extra='launch = "ran|refused"'), "cases/one.toml")
    suite.write(entry(), "known.toml")
    assert suite.drive(REFUSES, "--baseline=known.toml").row["verdict"] == "unexpected-pass"


def test_with_several_helpers_each_is_asked_by_its_own_entries(suite: Suite) -> None:
    suite.write(module_text(case_text()), "test_mask.py")
    suite.write(entry(extra='helper = "standin-bad"'), "known.toml")
    helpers = [f"--helper={suite.helper(body, name)}" for name, body in (("good", GOOD), ("bad", REFUSES))]
    ran = suite.run(*helpers, f"--adapter={suite.adapter()}", "--baseline=known.toml")
    assert ran.verdicts == {"MASK-1[plain-standin-bad]": "expected-fail", "MASK-1[plain-standin-good]": "pass"}
    assert ran.status == 0


def test_a_recorded_case_is_excused_too(suite: Suite) -> None:
    suite.write(case_text())
    suite.write(entry(), "known.toml")
    ran = suite.drive(REFUSES, "--case=case.toml", "--baseline=known.toml")
    assert (ran.status, ran.row["verdict"]) == (0, "expected-fail")


def test_workers_change_nothing(suite: Suite) -> None:
    suite.write(module_text(case_text(), case_text("other")), "test_mask.py")
    suite.write(entry() + entry("MASK-1[gone]").removeprefix("format = 1"), "known.toml")
    alone = suite.drive(REFUSES, "--baseline=known.toml")
    shared = suite.drive(REFUSES, "--baseline=known.toml", "-p", "xdist", "-n", "2", apart=True)
    assert timeless(valid(shared)) == timeless(valid(alone))
    assert alone.verdicts == {"MASK-1[other]": "fail", "MASK-1[plain]": "expected-fail"}
    assert "known.toml:3: 1 case: two masks" in shared.out


@pytest.mark.parametrize(
    ("text", "said"),
    (
        (entry("MASK-77[plain]"), "known.toml:3: 'known.ids': 'MASK-77' is no requirement; did you mean 'MASK-7'?"),
        (entry(kinds="no-strat"), "known.toml:4: 'known.kinds': 'no-strat' is no kind of finding; did you mean"),
        (entry().replace("two masks", "to be explained"), "known.toml:5: 'known.reason' is 'to be explained'; write"),
        ("", "known.toml:1: is empty"),
    ),
    ids=["requirement", "kind", "unexplained", "empty"],
)
def test_a_mistake_in_it_is_one_line_before_anything_runs(suite: Suite, text: str, said: str) -> None:
    ran = judge(suite, GOOD, text)
    assert (ran.status, ran.report, said in ran.err) == (4, {}, True), ran.err
    assert "Traceback" not in ran.out + ran.err


@pytest.mark.parametrize("name", ("nowhere.toml", "."))
def test_a_baseline_that_is_not_there_is_one_line(suite: Suite, name: str) -> None:
    suite.write(case_text(), "cases/one.toml")
    ran = suite.drive(GOOD, f"--baseline={name}")
    assert (ran.status, "cannot be read" in ran.err) == (4, True)
