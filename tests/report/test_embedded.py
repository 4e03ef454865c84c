# SPDX-License-Identifier: MIT
"""The probe in a shell string, in a JSON document, and in both."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import evolve

from boxproof.report.embedded import embedded, is_embedded, prepared
from boxproof.report.launches import document_name, documents, launch
from boxproof.report.recipe import BASE, COMMAND, PLACE, PROBE, Start
from boxproof.report.reproducer import reproducer
from tests.report.test_reproducer import NO_START, RECIPE

SHELLS = [
    shell for shell in (("dash",), ("bash", "--posix"), ("busybox", "ash"), ("/bin/sh",)) if shutil.which(shell[0])
]
HELPER = "/boxproof-helper/box"
TEXT = "echo it's \"$1\" \\n \\\\\nx='a\\'\n  echo $(( 1 )) `y` & end\n"
SHELL = shlex.join(COMMAND)
VARIABLES = {BASE: "base", PLACE: "farm", HELPER: "helper"}
IN_STRING = Start((HELPER, "-c", f"{SHELL} | cat"))
IN_DOCUMENT = Start((HELPER, "--config", f"{BASE}/files/c"), files={"c": json.dumps({"commandLine": SHELL}).encode()})
IN_LIST = Start((HELPER, f"{BASE}/files/c"), files={"c": json.dumps({"argv": COMMAND}).encode()})


def said(shell: Sequence[str], how: Start, base: Path) -> tuple[list[str], str]:
    """Start `how` in a script with `TEXT` for the probe and return the arguments and the file."""
    (base / "files").mkdir()
    (base / "probe").write_text(TEXT)
    lines = [
        f"base={base} farm=$base/farm helper=/h; probe=$(cat $base/probe)",
        "run() { shift; for each; do printf '%s\\0' \"$each\"; done; }",
        *prepared([how]),
        *documents(how, VARIABLES),
        *([f"printf '%s\\n' \"${document_name(0)}\" >$base/files/c"] if how.files else []),
        *launch(how, VARIABLES),
    ]
    script = "\n".join(lines)
    done = subprocess.run([*shell, "-c", script], capture_output=True, check=True, timeout=20, env={"PATH": os.defpath})
    file = base / "files" / "c"
    return done.stdout.decode().split("\0")[:-1], file.read_text() if file.exists() else ""


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
@pytest.mark.parametrize("how", (IN_STRING, IN_DOCUMENT, IN_LIST), ids=["string", "document", "list"])
def test_the_command_comes_out_whole(shell: Sequence[str], how: Start, tmp_path: Path) -> None:
    arguments, file = said(shell, how, tmp_path)
    command = ["/bin/sh", "-c", TEXT.rstrip("\n"), "probe", f"{tmp_path}/farm"]
    if how is IN_STRING:
        assert shlex.split(arguments[1]) == [*command, "|", "cat"]
    elif how is IN_DOCUMENT:
        assert shlex.split(json.loads(file)["commandLine"]) == command
    else:
        assert json.loads(file)["argv"] == command


def test_a_command_of_words_needs_nothing() -> None:
    plain = Start((HELPER, "--", *COMMAND))
    assert not is_embedded(plain)
    assert not list(prepared([plain]))
    assert embedded(plain) == {PROBE: "probe"}


def test_a_place_that_a_shell_would_split_is_refused() -> None:
    script = "base='/a b'; cannot() { echo no; exit 2; }\n" + "\n".join(prepared([IN_STRING]))
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stdout) == (2, "no\n")


@pytest.mark.parametrize("how", (IN_STRING, IN_DOCUMENT, IN_LIST), ids=["string", "document", "list"])
def test_the_script_prepares_the_command_once(how: Start) -> None:
    script = reproducer(evolve(RECIPE, findings=(NO_START,), starts=(how,), plain=how))
    assert script.count("| sed 's/[\\\\\"]/") + script.count("quoted=$(") == 1 + (how is IN_DOCUMENT)
    assert PROBE not in script
