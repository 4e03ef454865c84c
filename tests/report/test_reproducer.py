# SPDX-License-Identifier: MIT
"""Scripts as texts: words that every shell reads alike, what is in them, and when there can be none."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

import pytest
from attrs import evolve
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boxproof.model.case import Case
from boxproof.model.outcome import Finding, Kind
from boxproof.model.policy import Policy, Rule
from boxproof.model.probe import Probe
from boxproof.model.tree import parse_tree
from boxproof.report.recipe import BASE, COMMAND, PLACE, Recipe, Start
from boxproof.report.reproducer import reproducer
from boxproof.report.shellwords import document, message, word

SHELLS = [
    shell for shell in (("dash",), ("bash", "--posix"), ("busybox", "ash"), ("/bin/sh",)) if shutil.which(shell[0])
]
TREE = "ws/\nws/file file\nstore/\nstore/key file\nalias -> {farm}/store\n"
CASE = Case(
    "plain",
    "MASK-1",
    "a denied file",
    parse_tree(TREE),
    Policy("ws", (Rule("rw", "ws"), Rule("deny", "store/key"))),
    (Probe("read", "store/key"), Probe("read", "alias/key"), Probe("write", "ws/file"), Probe("write", "store/key")),
)
DENIED = Probe("read", "alias/key", expected=frozenset({"denied"}))
START = Start(("/boxproof-helper/box", "--rw", f"{PLACE}/ws", "--", *COMMAND))
LEAK = Finding(
    "leak", "MASK-1", "read alias/key: denied (deny store/key)", "read the content of store/key", "store/key"
)
NO_START = Finding("no-start", "MASK-1", "the command runs", "the command did not run; the helper's status is 1")
RECIPE = Recipe(CASE, (LEAK,), (START,), START, "/boxproof-helper/box", default="/opt/box")
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12).flatmap(
    lambda text: st.sampled_from([text, f"{PLACE}/{text}", f"{text}{BASE}{text}"])
) | st.binary(max_size=8).map(lambda raw: os.fsdecode(raw.replace(b"\0", b"")))


def said(shell: Sequence[str], script: str) -> str:
    env = {"PATH": os.defpath, "LC_ALL": "C"}
    done = subprocess.run([*shell, "-c", script], capture_output=True, check=True, timeout=20, env=env)
    return os.fsdecode(done.stdout)


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
@settings(max_examples=40)
@given(text=texts)
@example(text="a\n\n")
@example(text="-n")
@example(text=os.fsdecode(bytes(range(1, 256))))
@example(text=f"{PLACE}x`$\"\\'{BASE}")
def test_any_text_is_one_word(shell: Sequence[str], text: str) -> None:
    script = f"nl='\n'; base='/b c' farm='/b c/f g'; printf '<%s>' {word(text, {BASE: 'base', PLACE: 'farm'})}"
    assert script.isascii()
    assert said(shell, script) == f"<{text.replace(PLACE, '/b c/f g').replace(BASE, '/b c')}>"


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
@settings(max_examples=40)
@given(text=texts)
@example(text=f'{{"path": "{PLACE}/\\\\x", "a": "$x`y`é"}}')
def test_any_text_is_a_document(shell: Sequence[str], text: str) -> None:
    script = f"base='/b c' farm='/b c/f g'\ncat <<EOF\n{document(text, {BASE: 'base', PLACE: 'farm'})}\nEOF\n"
    assert said(shell, script) == f"{text.replace(PLACE, '/b c/f g').replace(BASE, '/b c')}\n"


@pytest.mark.parametrize("text", ("it's", "a\nb", "é\x1b[2J", "$x `y` \\n"))
def test_a_message_is_one_plain_line(text: str) -> None:
    shown = said(SHELLS[0], f"printf '%s' {message(text)}")
    assert shown.isprintable()
    assert shown.isascii()


@pytest.mark.parametrize("findings", ((LEAK,), (NO_START,), (LEAK, NO_START)), ids=["leak", "no-start", "both"])
@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_the_script_is_one_that_shells_can_read(shell: Sequence[str], findings: tuple[Finding, ...]) -> None:
    script = reproducer(evolve(RECIPE, findings=findings))
    assert script.isascii()
    subprocess.run([*shell, "-n"], input=script.encode(), check=True, timeout=20)


@pytest.mark.skipif(not shutil.which("shellcheck"), reason="shellcheck is not installed")
@pytest.mark.parametrize("findings", ((LEAK,), (NO_START,)), ids=["leak", "no-start"])
def test_shellcheck_has_nothing_to_say(findings: tuple[Finding, ...]) -> None:
    script = reproducer(evolve(RECIPE, findings=findings))
    program = shutil.which("shellcheck") or ""
    done = subprocess.run([program, "-s", "sh", "-"], input=script, text=True, capture_output=True, check=False)
    assert done.stdout == ""


def tried(script: str) -> list[str]:
    return script.partition("echo began\n")[2].partition("\necho ended")[0].splitlines()


def test_only_what_failed_is_tried() -> None:
    script = reproducer(RECIPE)
    assert tried(script) == ['read -r line <"$farm/alias/key" && echo "denied 2 $line"']


def test_an_attack_is_tried_whole() -> None:
    probes = (Probe("read", "ws/file"), Probe("rename", "ws/file", "ws/other"), DENIED)
    assert tried(reproducer(evolve(RECIPE, case=evolve(CASE, probes=probes)))) == [
        'mv -f -T "$farm/ws/file" "$farm/ws/other"',
        'read -r line <"$farm/alias/key" && echo "denied 3 $line"',
    ]


def test_content_that_comes_out_after_an_attack_is_known_by_itself() -> None:
    probes = (Probe("symlink", "ws/link", "{farm}/store"), Probe("read", "ws/link/key"))
    seen = "shown by `read ws/link/key`"
    found = Finding("leak", "MASK-5", "nothing shows the content of store/key", seen, "store/key")
    script = reproducer(evolve(RECIPE, case=evolve(CASE, probes=probes), findings=(found,)))
    assert tried(script) == [
        'ln -s -f -n "$farm/store" "$farm/ws/link"',
        'read -r line <"$farm/ws/link/key" && echo "2 $line"',
    ]
    assert """grep -q " $salt.4$" "$base/out" && wrong 'the content of store/key came out'""" in script


def test_the_documents_of_a_policy_can_be_read() -> None:
    entries = ", ".join(f'{{"path": "{PLACE}/r{number}", "access": "ro"}}' for number in range(20))
    policy = f'{{"rules": [{entries}]}}'
    script = reproducer(evolve(RECIPE, starts=(Start(("/boxproof-helper/box", policy, *COMMAND)),)))
    assert '  {"path": "$farm/r3", "access": "ro"},' in script.splitlines()
    assert BASE not in script


def test_descriptors_are_those_that_every_shell_has() -> None:
    start = Start(("/boxproof-helper/box", "--fd", "10", "--fd", "11", *COMMAND), null_fds=(10, 11))
    script = reproducer(evolve(RECIPE, starts=(start,)))
    assert 'run "$helper" --fd 3 --fd 4 3</dev/null 4</dev/null' in script


def test_a_value_that_is_private_is_the_callers_own() -> None:
    start = evolve(START, env={"API_KEY": None, "MODE": "a b"})
    assert """env API_KEY="${API_KEY-}" MODE='a b' "$helper\"""" in reproducer(evolve(RECIPE, starts=(start,)))


@pytest.mark.parametrize(
    ("kind", "case", "starts", "why"),
    (
        ("leak", evolve(CASE, topology=parse_tree(TREE + "m/ tmpfs\n")), (START,), "mounts"),
        ("leak", evolve(CASE, topology=parse_tree(TREE + "s socket\n")), (START,), "socket"),
        ("leak", evolve(CASE, probes=(Probe("exchange", "ws/a", "ws/b"),)), (START,), "exchange"),
        ("leak", evolve(CASE, then=(Probe("read", "store/key"),)), (START,), "second run"),
        ("leftover", CASE, (START,), "process"),
        ("order-sensitive", CASE, (START,), "two orders"),
        ("leak", CASE, (), "the helper did not get as far"),
        ("leak", CASE, (Start(("/boxproof-helper/box", "--")),), "command line"),
        ("leak", CASE, (evolve(START, null_fds=tuple(range(10, 18))),), "descriptors"),
    ),
)
def test_where_no_shell_can_the_script_says_so(kind: Kind, case: Case, starts: tuple[Start, ...], why: str) -> None:
    script = reproducer(evolve(RECIPE, case=case, findings=(evolve(LEAK, kind=kind),), starts=starts))
    done = subprocess.run(["/bin/sh"], input=script, text=True, capture_output=True, timeout=20, check=False)
    assert done.returncode == 2
    assert done.stdout.startswith("cannot tell: ")
    assert why in done.stdout
