# SPDX-License-Identifier: MIT
"""Shards, and their reports joined: the same result as one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from boxproof.cli import main
from boxproof.report.json import schema
from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import GOOD, Ran, Suite
from tests.plugin.test_collect import ids
from tests.plugin.test_generated import MODULE, REFUSES_LINKS
from tests.plugin.test_report import MIXED, mixed

REFUSES = "echo 'no user namespaces here' >&2; exit 1"


def merge(suite: Suite, *names: str) -> Result:
    words = [str(suite.path / name) for name in names]
    return CliRunner().invoke(main, ["merge", *words, "-o", str(suite.path / "whole.json")])


def shards(suite: Suite, body: str, of: int, *arguments: str) -> list[str]:
    """Run all shards and return the names of their reports."""
    names = []
    for number in range(1, of + 1):
        suite.drive(body, f"--shard={number}/{of}", *arguments)
        names.append((suite.path / "run.json").rename(suite.path / f"{number}.json").name)
    return names


def without_times(path: Path) -> str:
    """Return a report as text without what two runs cannot agree on."""
    report: dict[str, Any] = json.loads(path.read_text("utf-8"))
    Draft202012Validator(schema()).validate(report)
    for part in (report["run"], *report["results"]):
        for key in ("started", "seconds"):
            part.pop(key, None)
    return json.dumps(report, indent=1)


def plain(suite: Suite, *names: str) -> Suite:
    suite.write(module_text(*map(case_text, names or ("one", "two", "three"))), "test_mask.py")
    return suite


@pytest.mark.parametrize("of", (2, 9))
def test_merged_they_are_one_run_byte_for_byte(suite: Suite, of: int) -> None:
    mixed(suite).write(MODULE.format(level="MUST"), "test_generated.py")
    body = REFUSES_LINKS.replace("esac; " + GOOD, f"esac; {MIXED}")
    names = shards(suite, body, of)
    alone = suite.drive(body)
    done = merge(suite, *names)
    assert (alone.status, done.exit_code) == (1, 1)
    assert without_times(suite.path / "whole.json") == without_times(suite.path / "run.json")


def test_merged_they_meet_the_profile(suite: Suite) -> None:
    names = shards(plain(suite), GOOD, 3)
    done = merge(suite, *names)
    assert (done.exit_code, done.output) == (0, "standin-standin: 3 pass\nprofile recommended: met\n")


def test_each_case_is_in_one_shard(suite: Suite) -> None:
    plain(suite, "a", "b", "c", "d", "e")
    found = [ids(suite.drive(GOOD, "--collect-only", "-q", f"--shard={number}/3")) for number in (1, 2, 3)]
    assert sorted(map(len, found)) == [1, 2, 2]
    assert len({name for part in found for name in part}) == 5


def test_a_shard_meets_no_profile_and_is_0_all_the_same(suite: Suite) -> None:
    ran: Ran = plain(suite).drive(GOOD, "--shard=1/3")
    assert (ran.status, ran.report["run"]["met"], ran.report["run"]["shard"]) == (0, False, "1/3")
    assert ran.report["run"]["unmet"] == ["only shard 1/3 was run"]
    assert suite.drive(REFUSES, "--shard=1/3").status == 1


def test_an_entry_about_a_case_of_another_shard_is_no_mistake(suite: Suite) -> None:
    plain(suite)
    entry = 'format = 1\n[[known]]\nids = ["MASK-1[*]"]\nkinds = ["no-start"]\nreason = "so"\n'
    suite.write(entry + entry.replace("*", "gone").removeprefix("format = 1\n"), "known.toml")
    names = shards(suite, REFUSES, 2, "--baseline=known.toml")
    done = merge(suite, *names)
    assert done.exit_code == 0
    assert done.output.splitlines()[-1] == "known.toml:7 is about no case of this run: MASK-1[gone]"


@pytest.mark.parametrize("text", ("0/3", "4/3", "1", "a/b", "1/0", "-1/3"))
def test_a_shard_that_is_none_is_one_line(suite: Suite, text: str) -> None:
    ran = plain(suite).drive(GOOD, f"--shard={text}")
    assert (ran.status, f"--shard={text} makes no sense" in ran.err) == (4, True)


def test_what_does_not_belong_together_is_refused(suite: Suite) -> None:
    names = shards(plain(suite), GOOD, 2)
    suite.drive(GOOD, "--repeat=2", "--shard=2/2")
    assert "shard 2/2 is missing" in merge(suite, names[0]).stderr
    assert "1.json is shard 1/2, which does not fit" in merge(suite, names[0], *names).stderr
    assert "run.json is of another run than 1.json (repeat: 2, not 1)" in merge(suite, names[0], "run.json").stderr
    suite.drive(GOOD)
    assert "run.json is no shard, which does not fit" in merge(suite, *names, "run.json").stderr
    assert "is in two of the reports" in merge(suite, "run.json", "run.json").stderr
    assert not (suite.path / "whole.json").exists()


def test_runs_of_different_helpers_are_merged_too(suite: Suite) -> None:
    plain(suite)
    for name, body in (("good", GOOD), ("bad", REFUSES)):
        suite.run(f"--helper={suite.helper(body, name)}", f"--adapter={suite.adapter()}")
        (suite.path / "run.json").rename(suite.path / f"{name}.json")
    done = merge(suite, "good.json", "bad.json")
    assert done.exit_code == 1
    assert "standin-good: 3 pass" in done.output
    assert "  standin-bad: MASK-1 has 3 fail" in done.output
