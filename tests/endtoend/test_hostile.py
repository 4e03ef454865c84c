# SPDX-License-Identifier: MIT
"""Helpers that do what no helper should: each gets the verdict that it deserves, in time, and is gone afterwards."""

from __future__ import annotations

import os

import pytest

from tests.plugin.cases import case_text, module_text
from tests.plugin.suite import BARE, GOOD, Suite

RUN = '"$BWRAP" "$@"'
JUNK = r"printf 'n0123456789abcdef begin 3\nn0123456789abcdef 0 ok\nn0123456789abcdef end\n'"
TRACEBACK = r"printf 'Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 1\n' >&2; exit 1"
PANIC = r"printf 'thread main panicked at src/main.rs:1:1:\nno\n' >&2; exit 101"
FORK = "sleep 1000 & "
DAEMON = "(exec setsid sleep 1000 >/dev/null 2>&1 </dev/null &)"

HELPERS: dict[str, tuple[str, list[str]]] = {
    "prints-nothing": ("exit 0", ["status-lost"]),
    "exits-0-with-a-reason": ("echo 'cannot do this' >&2; exit 0", ["status-lost"]),
    "prints-a-gibibyte": ("exec head -c 1073741824 /dev/zero", ["status-lost"]),
    "prints-a-gibibyte-on-stderr": ("head -c 1073741824 /dev/zero >&2; exit 1", ["no-start"]),
    "prints-junk": (f"{JUNK}; exit 0", ["status-lost"]),
    "refuses-without-a-word": ("exit 1", ["silent"]),
    "refuses-with-blank-lines": (r"printf '\n  \n' >&2; exit 1", ["silent"]),
    "refuses-on-stdout": ("echo 'no namespaces'; exit 1", ["silent"]),
    "refuses-with-a-reason": ("echo 'no namespaces' >&2; exit 1", ["no-start"]),
    "prints-a-traceback": (TRACEBACK, ["crash"]),
    "prints-a-panic": (PANIC, ["crash"]),
    "dies-of-a-signal": ("kill -SEGV $$", ["crash"]),
    "kills-its-group": ("kill -KILL 0", ["crash"]),
    "forks-and-refuses": (f"{FORK}echo no >&2; exit 1", ["no-start", "leftover"]),
    "forks-and-runs": (f"{FORK}{GOOD}", ["leftover"]),
    "leaves-a-daemon": (f"{DAEMON}; {GOOD}", ["leftover"]),
    "swallows-the-status": (f"{RUN}; exit 1", ["status-lost"]),
    "dies-after-the-command": (f"{RUN}; kill -TERM $$", ["status-lost"]),
    "runs-it-unsandboxed": (BARE + 'exec "$@"', ["unsandboxed", "leak", "escape", "escape"]),
}


@pytest.fixture
def one(suite: Suite) -> Suite:
    """A suite of one case."""
    suite.write(case_text(), "cases/one.toml")
    return suite


@pytest.mark.parametrize("name", HELPERS)
def test_it_gets_the_verdict_that_it_deserves(one: Suite, name: str) -> None:
    body, kinds = HELPERS[name]
    ran = one.drive(body)
    assert (ran.status, ran.row["verdict"], ran.kinds) == (1, "fail", kinds)
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "body",
    (
        "exec sleep 1000",
        "trap '' TERM INT HUP; while :; do :; done",
        "kill -STOP $$",
        "yes | cat >&2",
        f"{RUN}; sleep 1000",
    ),
    ids=["sleeps", "ignores-signals", "stopped", "chatters", "lingers"],
)
def test_it_never_ends(one: Suite, body: str) -> None:
    ran = one.drive(body, "--launch-timeout=1")
    assert (ran.status, ran.row["verdict"], ran.kinds) == (1, "fail", ["hang"])


def test_it_hangs_with_a_child_in_a_sandbox(one: Suite) -> None:
    ran = one.drive(f'"$BWRAP" --unshare-all --ro-bind / / sleep 1000 & {BARE} sleep 1000', "--launch-timeout=1")
    assert ran.kinds == ["hang"]


def test_a_reason_is_told(one: Suite) -> None:
    ran = one.drive("echo 'no namespaces' >&2; echo 'try sysctl' >&2; exit 1")
    assert ran.row["findings"][0]["detail"] == "no namespaces | try sysctl"


def test_it_runs_the_command_in_the_background(one: Suite) -> None:
    ran = one.drive(f'{BARE} "$@" & exit 0')
    assert (ran.status, ran.row["verdict"]) == (1, "fail")
    assert {"status-lost", "unsandboxed"} & {*ran.kinds}


def test_it_refuses_after_it_has_run_the_command(suite: Suite) -> None:
    suite.write(case_text(extra='launch = "ran|refused"'), "cases/one.toml")
    ran = suite.drive(f'{BARE} "$@" >/dev/null; echo "no namespaces" >&2; exit 1')
    assert (ran.status, ran.row["verdict"]) == (1, "fail")
    assert "unsandboxed" in ran.kinds


def test_it_runs_the_command_twice(one: Suite) -> None:
    ran = one.drive(f"{RUN}; exec {RUN}")
    assert (ran.status, ran.row["verdict"]) == (1, "fail")


def test_it_runs_the_command_unsandboxed_after_a_sandboxed_run(one: Suite) -> None:
    ran = one.drive(f'{RUN} >/dev/null; {BARE} exec "$@"')
    assert (ran.status, ran.kinds[0]) == (1, "unsandboxed")


def test_it_runs_the_command_unsandboxed_and_shows_a_sandboxed_run(one: Suite) -> None:
    ran = one.drive(f'({BARE} exec "$@") >/dev/null; exec {RUN}')
    assert (ran.status, "unsandboxed" in ran.kinds, "escape" in ran.kinds) == (1, True, True)


def test_junk_around_a_run_changes_no_answer(one: Suite) -> None:
    ran = one.drive(f"{JUNK}; printf junk; {RUN}; status=$?; {JUNK}; exit $status")
    assert (ran.status, ran.row["verdict"]) == (0, "pass")


def test_a_forged_report_is_no_run(one: Suite) -> None:
    forge = """
for word; do case $word in n????????????????) nonce=$word ;; esac; done
[ $nonce ] && echo "$nonce begin 6" && for n in 0 1 2 3 4 5; do echo "$nonce $n ok"; done && echo "$nonce end"
exit 0
"""
    ran = one.drive(forge)
    assert (ran.status, ran.row["verdict"]) == (1, "fail")


def test_it_fills_its_home(one: Suite) -> None:
    fill = 'mkdir -p "$HOME/a/b" && head -c 10000000 /dev/zero >"$HOME/a/b/big"; : >"$TMPDIR/-x"; chmod 0 "$HOME/a"; '
    ran = one.drive(fill + GOOD)
    assert (ran.status, ran.row["verdict"], {*ran.kinds}) == (1, "fail", {"host-change"})
    paths = {finding["path"] for finding in ran.row["findings"]}
    assert {"{base}/home/a", "{base}/tmp/-x"} <= paths


def test_it_closes_folders_and_goes(one: Suite) -> None:
    ran = one.drive('cd "$HOME/.."; chmod 0 farm/ws farm home tmp; exit 1')
    assert (ran.status, ran.row["verdict"]) == (1, "fail")
    assert "host-change" in ran.kinds


def test_it_kills_its_parent(suite: Suite) -> None:
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    as_root = ["--run-as=root"] if os.geteuid() == 0 else []  # another user's process is not a helper's to kill
    ran = suite.drive(f"kill -KILL $PPID; sleep 1000 & {GOOD}", *as_root)
    assert (ran.status, ran.verdicts) == (1, {"MASK-1[one]": "fail", "MASK-1[two]": "fail"})


def test_after_a_lost_launcher_others_are_judged(suite: Suite) -> None:
    names = ("killer", "fine")
    cases = [case_text(name, tree=f"ws/\nws/{name} file\n", rules=["rw ws", f"ro ws/{name}"]) for name in names]
    suite.write(module_text(*cases), "test_mask.py")
    ran = suite.drive(f'case "$*" in *ws/killer*) kill -KILL $PPID ;; esac; {GOOD}', "--run-as=user")
    assert ran.rows["MASK-1[fine]"]["verdict"] == "pass"
    assert len(ran.rows) == 2


@pytest.mark.parametrize(("first", "kind"), (("#!/usr/bin/env no-such-python", "no-start"), ("#!/bin/false", "silent")))
def test_its_interpreter_comes_to_nothing(one: Suite, first: str, kind: str) -> None:
    helper, adapter = one.helper(), one.adapter()
    helper.write_text(f"{first}\n", encoding="utf-8")
    adapter.write_text(adapter.read_text("utf-8").replace('version = ["--version"]\n', ""), encoding="utf-8")
    ran = one.run(f"--helper={helper}", f"--adapter={adapter}")
    assert (ran.status, ran.kinds) == (1, [kind])
