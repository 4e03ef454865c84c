# SPDX-License-Identifier: MIT
"""What is looked at before the command is let in: a bwrap that does less than it was told is refused (RACE-1, FALL-3).

A stand-in takes one thing out of the arguments and becomes the real bwrap with the rest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from boxproof.reference.gate import Gate, allow_everything
from boxproof.reference.refusal import REFUSED

from .harness import CROSSED, DEADLINE, Farm, Helper, Outcome, environment, policy

TAMPER = """#!{interpreter}
import os, sys
place = sys.argv.index("--args")
words = open(int(sys.argv[place + 1]), "rb", closefd=False).read().split(b"\\0")[:-1]
{change}
file = os.memfd_create("words", 0)
os.write(file, b"".join(word + b"\\0" for word in words))
os.lseek(file, 0, os.SEEK_SET)
os.execv({bwrap!r}, [{bwrap!r}, "--args", str(file), *sys.argv[place + 2:]])
"""

REPORT = (
    "os.write(int(words[words.index(b'--json-status-fd') + 1]), b'{{\"child-pid\": {}}}\\n{{\"exit-code\": 0}}\\n')"
)
WITHOUT = "words = [word for word in words if word != {!r}]"
CHANGES = {
    "keeps-network": WITHOUT.format(b"--unshare-net"),
    "keeps-pids": WITHOUT.format(b"--unshare-pid"),
    "keeps-ipc": WITHOUT.format(b"--unshare-ipc"),
    "keeps-names": WITHOUT.format(b"--unshare-uts"),
    "writable-root": "words[words.index(b'--ro-bind')] = b'--bind'",
    "writable-file": "words[words.index(FILE) - 1] = b'--bind'",
    "no-mask": "at = words.index(b'/dev/null') - 1; del words[at:at + 3]",
    "no-folder-mask": "at = words.index(b'--remount-ro') - 2; del words[at:at + 4]",
    "writable-mask": "at = words.index(b'--remount-ro'); del words[at:at + 2]",
    "other-file": "words[words.index(FILE)] = OTHER",
    "no-pin": "at = words.index(PIN) - 1; del words[at:at + 3]",
    "old-proc": "at = words.index(b'--proc'); words[at:at + 2] = [b'--bind', b'/proc', b'/proc']",
    "old-dev": "at = words.index(b'--dev'); words[at:at + 2] = [b'--dev-bind', b'/dev', b'/dev']",
}
"""One fault each, as Python; the names in capitals stand for paths of the scene."""


def scene(farm: Farm) -> list[tuple[str, str]]:
    """A writable folder with a read-only file deep in it, and two denied objects; gives the rules."""
    for name in ("ws/in/kept", "other", "secret", "closed/f"):
        farm.file(name)
    rules = (("rw", "ws"), ("ro", "ws/in/kept"), ("deny", "secret"), ("deny", "closed"))
    return [(access, farm.path(name)) for access, name in rules]


def tampered(farm: Farm, helper: Helper, change: str) -> Outcome:
    """Launch with a stand-in that applies a change to its arguments."""
    rules = scene(farm)
    shim = farm.file("bin/bwrap", mode=0o755)
    names = {"FILE": "ws/in/kept", "OTHER": "other", "PIN": "ws/in"}
    for word, name in names.items():
        change = change.replace(word, repr(os.fsencode(farm.path(name))))
    text = TAMPER.format(interpreter=helper.interpreter, bwrap=helper.bwrap, change=change)
    Path(shim).write_text(text, encoding="utf-8")
    return attrs.evolve(helper, bwrap=shim).sh(policy(farm.path("ws"), rules), "echo ran")


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize("change", CHANGES)
def test_a_sandbox_that_is_not_what_was_planned_is_refused(farm: Farm, helper: Helper, change: str) -> None:
    done = tampered(farm, helper, CHANGES[change])
    assert (done.status, done.out) == (REFUSED, b"")
    assert done.refused
    assert b"internal error" not in done.err


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
def test_a_report_of_a_command_that_was_never_let_in_is_not_believed(farm: Farm, helper: Helper) -> None:
    done = tampered(farm, helper, REPORT.format(os.getpid()) + "; sys.exit(0)")
    assert done.refused
    assert b"did not run the command" in done.err


@pytest.mark.parametrize("caller", ("root",), indirect=True)
@pytest.mark.parametrize("bwrap", ("system",), indirect=True)
def test_a_bystander_that_is_reported_as_the_sandbox_is_left_alone(farm: Farm, helper: Helper) -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as bystander:
        try:
            assert tampered(farm, helper, REPORT.format(bystander.pid) + "; import time; time.sleep(60)").refused
            assert bystander.poll() is None
        finally:
            bystander.kill()


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
def test_the_same_stand_in_without_a_fault_is_not(farm: Farm, helper: Helper) -> None:
    assert tampered(farm, helper, "pass").out == b"ran\n"


@pytest.mark.parametrize(("caller", "bwrap"), CROSSED, indirect=True)
@pytest.mark.parametrize(("text", "out"), ((b"", b""), (allow_everything()[:4], b""), (allow_everything(), b"ran\n")))
def test_the_gate_fails_closed(helper: Helper, text: bytes, out: bytes) -> None:
    reading, writing = os.pipe()
    os.write(writing, text)
    os.close(writing)
    try:
        done = subprocess.run(
            [helper.bwrap, "--unshare-user", "--ro-bind", "/", "/", "--seccomp", str(reading), "/bin/echo", "ran"],
            capture_output=True, check=False, timeout=DEADLINE, pass_fds=(reading,), env=environment(), cwd="/",
            **helper.caller.credentials(),
        )  # fmt: skip
    finally:
        os.close(reading)
    assert done.stdout == out
    assert (done.returncode == 0) == bool(out)


def test_a_gate_lets_through_once_it_is_opened() -> None:
    gate = Gate()
    reading = os.dup(int(gate.arguments()[1]))
    gate.hand_over()
    assert not gate.is_open
    gate.open()
    assert os.read(reading, 100) == allow_everything()
    assert os.read(reading, 100) == b""
    assert len(allow_everything()) == 8
    os.close(reading)
    assert sys.byteorder == "big" or allow_everything() == bytes([6, 0, 0, 0, 0, 0, 0xFF, 0x7F])
