# SPDX-License-Identifier: MIT
"""What a bug reporter attaches: a script that says of any helper whether the fault is there, and names nobody."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from boxproof.model.casefile import load_case
from boxproof.report.json import read_report
from tests.plugin.cases import TREE, case_text
from tests.plugin.suite import BARE, GOOD, Suite

SHELLS = [
    shell for shell in (("dash",), ("bash", "--posix"), ("busybox", "ash"), ("/bin/sh",)) if shutil.which(shell[0])
]
TOOLS = (
    *("sh", "cat", "chmod", "cp", "dirname", "env", "find", "grep", "head", "ln", "ls", "mkdir", "mkfifo", "mktemp"),
    *("mv", "readlink", "rm", "sed", "sort", "stat", "timeout", "touch", "tr", "cksum"),
)
"""All that a script may need beside the helper."""
INSTEAD = 'for word; do shift; [ "$word" != --bind ] || word=--ro-bind; set -- "$@" "$word"; done; ' + GOOD
UNMASKED = (
    'skip=0; for word; do shift; [ "$word" != --ro-bind-data ] || skip=3\n'
    'if [ $skip -gt 0 ]; then skip=$((skip - 1)); else set -- "$@" "$word"; fi; done; ' + GOOD
)
LINKED = TREE + "alias -> {farm}/store\nodd\\x0aname\\xff/\nodd\\x0aname\\xff/key file\n"
RULES = ("rw ws", "deny store/key")
KINDS: dict[str, tuple[str, str]] = {
    "no-start": ('case $* in */store/key*) echo "no $*" >&2; exit 1 ;; esac; ' + GOOD, "did not run to its end"),
    "crash": ("case $* in */store/key*) kill -SEGV $$ ;; esac; " + GOOD, "did not run to its end"),
    "status-lost": ('"$BWRAP" "$@"; exit 3', "the status of the command, 0, is lost"),
    "unsandboxed": (BARE + 'exec "$@"', "a file that no rule names was written"),
    "leak": (UNMASKED, "its content came out"),
    "overblock": (INSTEAD, "it must land on the host and did not"),
    "host-change": (": >left; " + GOOD, "the host is not as it was: ws/left was added"),
    "repeated": ('"$BWRAP" "$@"; ' + GOOD, "ran more than once"),
}


def run(suite: Suite, shell: Sequence[str], script: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a script as the launch user, with nothing on PATH that is not in `TOOLS`."""
    user = suite.place.user
    root = os.geteuid() == 0
    return subprocess.run(
        [shutil.which(shell[0]) or shell[0], *shell[1:], script, *arguments],
        cwd=suite.place.open,
        env={"PATH": str(tools(suite)), "HOME": str(suite.place.open)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        user=user.uid if root else None,
        group=user.gid if root else None,
        extra_groups=[] if root else None,
    )


def tools(suite: Suite) -> Path:
    folder = suite.place.root / "tools"
    if not folder.exists():
        folder.mkdir()
        for name in TOOLS:
            (folder / name).symlink_to(shutil.which(name) or name)
    return folder


def attached(suite: Suite, body: str, text: str, *arguments: str) -> Path:
    """Return the folder that a failure under a stand-in leaves, where every user can read it."""
    suite.write(text, "cases/one.toml")
    ran = suite.drive(body, f"--cases-out={suite.place.open}/out", *arguments)
    assert ran.status == 1, ran.out
    (folder,) = (suite.place.open / "out").iterdir()
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_it_tells_the_fault_from_its_repair(suite: Suite, kind: str) -> None:
    body, said = KINDS[kind]
    script = attached(suite, body, case_text(rules=RULES)) / "reproduce.sh"
    before = sorted(os.listdir(suite.place.open))
    done = run(suite, ("/bin/sh",), script)
    assert (done.returncode, said in done.stdout) == (1, True), done
    suite.helper(GOOD)
    mended = run(suite, ("/bin/sh",), script)
    assert (mended.returncode, mended.stdout) == (0, "the fault is gone\n"), mended
    assert sorted(os.listdir(suite.place.open)) == before


@pytest.mark.parametrize("kind", KINDS)
def test_it_cannot_tell_of_a_helper_that_starts_nothing(suite: Suite, kind: str) -> None:
    """A refusal of every policy neither shows the fault nor its repair."""
    script = attached(suite, KINDS[kind][0], case_text(rules=RULES)) / "reproduce.sh"
    refuses = suite.helper("echo no such option >&2; exit 2", "other")
    for helper in (refuses, "/nowhere"):
        done = run(suite, ("/bin/sh",), script, helper)
        assert (done.returncode, done.stdout.startswith("cannot tell: ")) == (2, True), done


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_any_shell_and_any_name_will_do(suite: Suite, shell: Sequence[str]) -> None:
    rules = [*RULES, "deny odd\\x0aname\\xff/key"]
    text = case_text(tree=LINKED, rules=rules)
    script = attached(suite, UNMASKED, text) / "reproduce.sh"
    done = run(suite, shell, script)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == "wrong: its content came out: read store/key, read alias/key\n"
    suite.helper(GOOD)
    assert run(suite, shell, script).returncode == 0


def test_it_compares_two_policies_that_mean_the_same(suite: Suite) -> None:
    denies_first = 'case "$*" in *--ro-bind-data*--bind*) echo "the wrong order" >&2; exit 1 ;; esac; ' + GOOD
    script = attached(suite, denies_first, case_text(rules=RULES, extra='relation = "reversed"')) / "reproduce.sh"
    done = run(suite, ("/bin/sh",), script)
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "wrong: the two come to different outcomes")
    suite.helper(GOOD)
    assert run(suite, ("/bin/sh",), script).returncode == 0
    refuses = suite.helper("echo no such option >&2; exit 2", "other")
    assert run(suite, ("/bin/sh",), script, refuses).returncode == 2


def test_a_signal_leaves_nothing(suite: Suite) -> None:
    script = attached(suite, KINDS["no-start"][0], case_text(rules=RULES)) / "reproduce.sh"
    before = sorted(os.listdir(suite.place.open))
    fifo = suite.place.root / "fifo"
    os.mkfifo(fifo)
    fifo.chmod(0o666)
    helper = suite.helper(f'echo >"{fifo}"; exec sleep 60', "waits")
    env = {"PATH": os.defpath, "HOME": str(suite.place.open)}
    process = subprocess.Popen(["/bin/sh", script, helper], env=env, cwd=suite.place.open, stdout=subprocess.PIPE)
    fifo.read_bytes()
    assert sorted(os.listdir(suite.place.open)) != before
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert (process.returncode, sorted(os.listdir(suite.place.open))) == (2, before)


def test_what_is_attached_names_nobody(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "mallory")
    monkeypatch.setenv("HOME", str(suite.place.root))
    monkeypatch.setattr("platform.node", lambda: "bighost.example.org")
    body = "echo mallory@bighost.example.org, bighost >&2; exit 1"
    text = case_text(tree="ws/\nmallory/\nmallory/key file\n", rules=["rw ws", "deny mallory/key"])
    folder = attached(suite, body, text)
    files = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert sorted(files) == ["case.toml", "report.json", "reproduce.sh"]
    for name, content in files.items():
        for secret in ("mallory", "bighost", str(suite.place.root), str(suite.place.farms)):
            assert secret not in content, name
    assert '"$HOME"/standin' in files["reproduce.sh"]
    assert load_case(files["case.toml"], "case.toml").policy.rules[1].spelling == "user/key"


def test_the_report_is_of_this_case_alone(suite: Suite) -> None:
    folder = attached(suite, KINDS["no-start"][0], case_text(rules=RULES))
    report = read_report((folder / "report.json").read_text("utf-8"), "report.json")
    (row,) = report.results
    assert (row.id, row.case_file) == ("MASK-1[plain]", "case.toml")
    assert (len(report.helpers), len(report.helpers[0].sha256)) == (1, 64)
    assert json.loads((folder / "report.json").read_text("utf-8"))["host"]["kernel"] == os.uname().release
    assert (folder / "reproduce.sh").stat().st_mode & 0o777 == 0o755


def test_a_flaky_fault_is_looked_for_longer(suite: Suite) -> None:
    counted = 'n=$(cat "$OPEN/n" 2>/dev/null); echo "$n." >"$OPEN/n"; case ${#n} in %s) echo no >&2; exit 1 ;; esac; '
    script = attached(suite, counted % "1" + GOOD, case_text(rules=RULES), "--repeat=3") / "reproduce.sh"
    (suite.place.open / "n").unlink()
    suite.helper(counted % "9" + GOOD)
    assert run(suite, ("/bin/sh",), script).returncode == 1
    suite.helper(GOOD)
    never = run(suite, ("/bin/sh",), script)
    assert (never.returncode, never.stdout) == (2, "cannot tell: it did not show in 20 launches\n")
