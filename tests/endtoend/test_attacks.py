# SPDX-License-Identifier: MIT
"""Helpers that attack the suite: the verdict is right or `error`, the next case is judged, and nothing stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxproof.grounds.accounts import launch_user
from boxproof.grounds.host import find_interpreter
from boxproof.grounds.kernel import mount, unmount
from tests.plugin.cases import case_text, module_text
from tests.plugin.place import Place
from tests.plugin.suite import BARE, GOOD, Ran, Suite

ROOT = os.geteuid() == 0
AS_ROOT = pytest.mark.skipif(not ROOT, reason="only root can do this to the suite")
NAMES = ("attacked", "next")
ATTACKED = 'case "$*" in *ws/attacked*)'
WORDS = 'for word; do case $word in n????????????????) nonce=$word ;; esac; done; [ "$nonce" ] || exit 1; '
DEEP = """
import os
os.chdir(os.environ["HOME"])
for _ in range(3000):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
os.close(os.open("bottom", os.O_CREAT, 0o000))
"""


@pytest.fixture
def two(suite: Suite) -> Suite:
    """A suite of one case in which the helper attacks, and of one after it in which it does its work."""
    cases = [
        case_text(name, tree=f"ws/\nws/{name} file\nkey file\n", rules=[f"rw ws/{name}", "deny key"]) for name in NAMES
    ]
    suite.write(module_text(*cases), "test_mask.py")
    return suite


def attack(suite: Suite, body: str, *arguments: str) -> Ran:
    """Run both cases; the helper does what `body` says in the first before it does its work."""
    return suite.drive(f"{ATTACKED} {body} ;; esac; {GOOD}", *arguments)


def assert_only_the_first_failed(ran: Ran) -> None:
    assert ran.verdicts == {"MASK-1[attacked]": "fail", "MASK-1[next]": "pass"}
    assert "Traceback" not in ran.err


def python(text: str) -> str:
    """Return shell that runs Python."""
    return f"{find_interpreter(launch_user())} -I -S -c '{text}'"


def test_a_forged_report_with_the_right_answers_writes_nothing(two: Suite) -> None:
    forge = """
echo "$nonce begin 5"; read -r token <ws/attacked 2>/dev/null || read -r token <attacked
echo "$nonce 0 ok $token"; echo "$nonce 1 no 13"; echo "$nonce 2 ok"; echo "$nonce 3 no 13"; echo "$nonce 4 no 13"
echo "$nonce end"; exit 0"""
    assert_only_the_first_failed(attack(two, f"{WORDS} {forge}"))


def test_an_old_report_is_no_report(two: Suite) -> None:
    body = f'case "$*" in *ws/attacked*) exec {GOOD.removeprefix("exec ")} | tee "$OPEN/old" ;; esac'
    replay = 'case "$*" in *ws/next*) [ -s "$OPEN/old" ] && cat "$OPEN/old" && exit 0 ;; esac'
    ran = two.drive(f"{replay}; {body}; {GOOD}")
    assert ran.verdicts["MASK-1[next]"] == "fail"
    assert {finding["kind"] for finding in ran.rows["MASK-1[next]"]["findings"]} == {"status-lost"}


def test_an_old_report_beside_the_new_one_changes_nothing(two: Suite) -> None:
    ran = two.drive(
        f'cat "$OPEN/old" 2>/dev/null; {GOOD.removeprefix("exec ")} | tee "$OPEN/new"; mv "$OPEN/new" "$OPEN/old"'
    )
    assert set(ran.verdicts.values()) == {"pass"}


@pytest.mark.parametrize(
    "body",
    (
        'cd "$HOME/../farm"; for file in ws/attacked key; do echo forged >"$file"; done',
        'cd "$HOME/../farm"; rm -f key; ln -s "$OPEN/victim" key',
        'cd "$HOME/../farm"; rm -rf ws; ln -s "$OPEN" ws; rm -f key; mkdir key',
        'cd "$HOME/.."; echo forged >outside/canary; rm -rf files/* tmp; ln -s "$OPEN" tmp',
    ),
    ids=["bytes", "a-link", "a-folder", "around-it"],
)
def test_what_it_does_to_the_farm_is_seen_and_gone(two: Suite, place: Place, body: str) -> None:
    victim = place.open / "victim"
    victim.write_text("mine", encoding="ascii")
    ran = attack(two, body)
    assert_only_the_first_failed(ran)
    assert victim.read_text("ascii") == "mine"


def test_deep_folders_are_gone(two: Suite) -> None:
    assert_only_the_first_failed(attack(two, python(DEEP)))


def test_files_that_nobody_may_open_are_gone(two: Suite) -> None:
    body = 'cd "$HOME"; mkdir -p a/b; : >a/b/c; : >"$TMPDIR/d"; chmod 0 a/b/c "$TMPDIR/d" a/b a'
    assert_only_the_first_failed(attack(two, body))


@AS_ROOT
@pytest.mark.parametrize("what", ("+i", "+a"))
def test_files_that_root_made_immutable_are_gone(two: Suite, place: Place, what: str) -> None:
    probe = place.open / "flags"
    probe.touch()
    if os.system(f"chattr {what} {probe} 2>/dev/null && chattr -ia {probe}"):  # noqa: S605 - a path of the test's own
        pytest.skip("this file system has no such flags")
    body = f'mkdir "$HOME/a"; : >"$HOME/a/b"; chattr {what} "$HOME/a/b" "$HOME/a"'
    assert_only_the_first_failed(attack(two, body, "--run-as=root"))


@pytest.fixture
def small(place: Place) -> Iterator[Path]:
    """A file system of 16 MiB for the farms."""
    mount(b"none", os.fsencode(place.farms), b"tmpfs", 0, b"size=16m,mode=0755")
    yield place.farms
    unmount(os.fsencode(place.farms))


@AS_ROOT
@pytest.mark.usefixtures("small")
def test_a_full_file_system_is_empty_again(two: Suite) -> None:
    fill = 'head -c 100000000 /dev/zero >"$HOME/big" 2>/dev/null'
    body = f'{fill}; n=0; while [ $n -lt 500 ] && mkdir "$TMPDIR/$n" 2>/dev/null; do n=$((n + 1)); done'
    ran = attack(two, body)
    assert ran.verdicts["MASK-1[attacked]"] in {"fail", "error"}
    assert ran.verdicts["MASK-1[next]"] == "pass"


def test_its_own_umask_is_its_own(two: Suite) -> None:
    before = os.umask(0o022)
    ran = attack(two, "umask 0777")
    assert os.umask(before) == 0o022
    assert ran.verdicts["MASK-1[next]"] == "pass"


def test_a_daemon_that_writes_later_is_ended_first(two: Suite) -> None:
    daemon = '(exec setsid sh -c "while :; do echo late >\\"$HOME/../farm/key\\"; done" >/dev/null 2>&1 </dev/null &)'
    assert_only_the_first_failed(attack(two, daemon))


def test_a_command_that_runs_bare_beside_the_forged_report_is_unsandboxed(two: Suite) -> None:
    ran = two.drive(f'{BARE} exec "$@"')
    assert set(ran.verdicts.values()) == {"fail"}
