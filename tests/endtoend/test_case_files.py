# SPDX-License-Identifier: MIT
"""Case files from anybody: one line for what cannot be run, and nothing outside the farm for what can."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.plugin.cases import TREE, case_text
from tests.plugin.suite import GOOD, Suite

PLAIN = case_text()
MANY = 10_000

WRONG: dict[str, tuple[str, str]] = {
    "empty": ("", "wrong.toml:1: is empty"),
    "not-toml": ("format = \n", "wrong.toml:1: is not TOML"),
    "not-utf-8": (f"# \udcff\n{PLAIN}", "wrong.toml:1: is not UTF-8"),
    "binary": ("\x7fELF\0\1\2", "wrong.toml:1: is not TOML"),
    "format": (PLAIN.replace("format = 1", "format = 2"), "wrong.toml:1: 'format' is 2"),
    "no-id": (PLAIN.replace('id = "plain"\n', ""), "'id' is missing"),
    "id": (PLAIN.replace('"plain"', '"../plain"'), "wrong.toml:2: 'id': the id '../plain' is no slug"),
    "requirement": (PLAIN.replace('"MASK-1"', '"mask one"'), "wrong.toml:3: 'requirement': 'mask one'"),
    "unknown-key": (
        case_text(extra='probe = ["read x"]'),
        "wrong.toml:6: 'probe' is no known key; did you mean 'probes'?",
    ),
    "unknown-policy-key": (
        f"{PLAIN}rule = []\n",
        "wrong.toml:18: 'policy.rule' is no known key; did you mean 'rules'?",
    ),
    "wrong-type": (PLAIN.replace('cwd = "ws"', "cwd = 3"), "'policy.cwd' is an integer; write a string"),
    "wrong-item": (PLAIN.replace("probes = []", "probes = [1]"), "'probes' holds an integer; write a string"),
    "wrong-word": (case_text(reads="all"), "'policy.reads' cannot be 'all'"),
    "operation": (case_text(probes=["raed ws/file"]), "'raed' in 'raed ws/file' is no operation; did you mean 'read'?"),
    "outcome": (case_text(probes=["read ws/file: denyed"]), "did you mean 'denied'?"),
    "rule": (case_text(rules=["read ws"]), "'policy.rules': 'read ws' is no rule"),
    "entry": (case_text(tree="ws/\nws/x folder\n"), "wrong.toml:9: 'tree': 'ws/x folder' is no entry"),
    "escape": (
        case_text(tree="ws/\n../x  file\n"),
        "wrong.toml:9: 'tree': the entry '../x' is not a plain path below the farm",
    ),
    "absolute": (case_text(tree="ws/\n/etc/x  file\n"), "the entry '/etc/x' is not a plain path below the farm"),
    "below-a-link": (
        case_text(tree="ws/\nup -> ../..\nup/x  file\n"),
        "wrong.toml:10: 'tree': 'up/x' lies in no folder",
    ),
    "hard-link-outside": (case_text(tree="ws/\nx = ../../../etc/passwd\n"), "which is no file before it"),
    "bind-outside": (case_text(tree="ws/\nx/ bind ../../etc\n"), "which is no folder before it"),
    "twice": (case_text(tree=f"{TREE}ws/file  file\n"), "wrong.toml:12: 'tree': 'ws/file' is in the tree twice"),
    "mode": (case_text(tree="ws/ mode=9999\n"), "'mode=9999' is no mode"),
    "nul": (case_text(tree="ws/\nws/a\\x00b file\n"), "holds a NUL byte"),
    "long-name": (case_text(tree=f"ws/\nws/{'x' * 256} file\n"), "has a name of more than 255 bytes"),
    "deep": ("a = " + "[" * 20_000 + "]" * 20_000, "is not TOML (it is nested too deeply)"),
    "deadline": (case_text(extra="deadline = -1"), "'deadline' is -1; write a number of seconds"),
    "endless-deadline": (case_text(extra="deadline = inf"), "'deadline' is inf; write a number of seconds"),
    "10000-and-one-twice": (
        case_text(tree="ws/\n" + "".join(f"ws/{number} file\n" for number in (*range(MANY), 77))),
        f"wrong.toml:{9 + MANY}: 'tree': 'ws/77' is in the tree twice",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_case_is_one_line(suite: Suite, name: str) -> None:
    text, said = WRONG[name]
    (suite.path / "wrong.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    ran = suite.drive('echo started >"$OPEN/trace"; ' + GOOD, "--case=wrong.toml")
    (line,) = [line for line in ran.err.splitlines() if line]
    assert (ran.status, line.startswith("ERROR: wrong.toml:")) == (4, True)
    assert said in line
    assert line.isprintable()
    assert os.listdir(suite.place.open) == []


def test_in_the_suite_it_is_one_line_too_and_the_others_are_told(suite: Suite) -> None:
    suite.write(case_text(rules=["read ws"]), "cases/one.toml")
    suite.write("", "cases/two.toml")
    ran = suite.drive(GOOD)
    assert ran.status == 2
    assert "one.toml:17: 'policy.rules': 'read ws' is no rule" in ran.out
    assert "two.toml:1: is empty" in ran.out
    assert "Traceback" not in ran.out
    assert "site-packages" not in ran.out


@pytest.fixture
def victim(suite: Suite) -> Path:
    """A folder outside every farm, in which the launch user may write."""
    folder = suite.place.open / "victim"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "keep").write_text("#!/bin/sh\n>ran\n", encoding="utf-8")
    (folder / "keep").chmod(0o777)
    return folder


def refused(suite: Suite, victim: Path, text: str) -> str:
    """Run a case that would leave its farm: one line before anything is started, and the victim as it was."""
    suite.write(text.replace("VICTIM", str(victim)))
    ran = suite.drive('echo started >"$OPEN/trace"; ' + GOOD, "--case=case.toml")
    (line,) = [line for line in ran.err.splitlines() if line]
    assert (ran.status, line.startswith("ERROR: case.toml: ")) == (4, True)
    assert (os.listdir(suite.place.open), os.listdir(victim)) == (["victim"], ["keep"])
    assert (victim / "keep").read_text("utf-8") == "#!/bin/sh\n>ran\n"
    return line


@pytest.mark.parametrize(
    "probe",
    (
        "write VICTIM/keep",
        "create VICTIM/new",
        "truncate VICTIM/keep",
        "remove VICTIM/keep",
        "mkdir VICTIM/new",
        "chmod VICTIM/keep",
        "touch VICTIM/keep",
        "exec VICTIM/keep",
        "rename VICTIM/keep ws/keep",
        "rename ws/file VICTIM/file",
        "link VICTIM/keep ws/keep",
        "link ws/file VICTIM/file",
        "exchange ws/file VICTIM/keep",
        "symlink VICTIM/link ws",
        "write ../../../open/victim/keep",
        "write {farm}/../../../open/victim/keep",
        "write ws/../../../../open/victim/keep",
        "create ../new",
        "remove ../home",
        "rename ../home ../elsewhere",
        "write out/keep",
        "create out/new",
        "write outer",
        "write up/home/new",
        "create new-dangling",
    ),
)
def test_a_probe_that_leaves_the_farm_is_refused(suite: Suite, victim: Path, probe: str) -> None:
    tree = f"{TREE}out -> VICTIM\nouter -> VICTIM/keep\nup -> ..\nnew-dangling -> VICTIM/new\n"
    assert "leaves the farm" in refused(suite, victim, case_text(tree=tree, rules=["rw ws"], probes=[probe]))


@pytest.mark.parametrize(
    "probes",
    (
        ["symlink ws/made VICTIM", "write ws/made/keep"],
        ["symlink ws/made ../../../../open/victim", "create ws/made/new"],
        ["rename store/deep/link link", "write link/keep"],
        ["exchange store/deep/link ws/file", "write ws/file/keep"],
    ),
    ids=["absolute", "relative", "moved", "exchanged"],
)
def test_a_link_that_probes_make_or_move_is_refused(suite: Suite, victim: Path, probes: list[str]) -> None:
    tree = f"{TREE}store/deep/\nstore/deep/link -> ../../../../../open/victim\n"
    refused(suite, victim, case_text(tree=tree, rules=["rw ws", "rw store"], probes=probes))


def test_a_second_run_is_looked_at_too(suite: Suite, victim: Path) -> None:
    refused(suite, victim, case_text(extra='then = ["write VICTIM/keep"]'))


@pytest.mark.parametrize("rule", ("rw out", "rw ws", "ro up", "rw up"))
def test_derived_probes_keep_to_the_farm(suite: Suite, victim: Path, rule: str) -> None:
    tree = f"{TREE}out -> {victim}\nws/out -> {victim}\nup -> /\n"
    suite.write(case_text(tree=tree, rules=[rule]))
    above = sorted(os.listdir("/"))
    ran = suite.drive("echo no >&2; exit 1", "--case=case.toml")
    assert (len(ran.rows), os.listdir(victim)) == (1, ["keep"])
    assert (victim / "keep").read_text("utf-8") == "#!/bin/sh\n>ran\n"
    assert sorted(os.listdir("/")) == above


def test_reading_outside_is_no_harm(suite: Suite) -> None:
    suite.write(case_text(probes=["read /etc/passwd", "list /", "stat /proc/self", "read ws/file"]))
    ran = suite.drive(GOOD, "--case=case.toml")
    assert (ran.status, ran.row["verdict"]) == (0, "pass")


def test_a_link_onto_itself_is_a_case_like_any_other(suite: Suite) -> None:
    tree = f"{TREE}loop -> loop\nround -> {{farm}}/about\nabout -> round\n"
    suite.write(case_text(requirement="START-2", tree=tree, rules=["rw ws", "ro loop", "ro round"]))
    assert suite.run("--case=case.toml").verdicts == {"START-2[plain]": "pass"}
    ran = suite.drive(GOOD, "--case=case.toml")
    assert (ran.status, ran.kinds) == (1, ["no-start"])


def test_10000_entries_are_a_case_like_any_other(suite: Suite) -> None:
    tree = "ws/\n" + "".join(f"ws/{number} file\n" for number in range(MANY))
    probes = ["read ws/77", "read ws/78: allowed", "write ws/9999: allowed"]
    suite.write(case_text(tree=tree, rules=["rw ws", "deny ws/77"], probes=probes))
    suite.adapter(deny_file=[])
    ran = suite.drive(GOOD, "--case=case.toml")
    assert (ran.status, ran.kinds) == (1, ["leak"])
    assert "ws/9999" in (suite.path / ran.row["case_file"]).read_text("utf-8")
    assert len(ran.text()) < 500
