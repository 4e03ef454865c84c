# SPDX-License-Identifier: MIT
"""A mistake in the options is one line and exit status 4, before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plugin.cases import case_text
from tests.plugin.suite import GOOD, Ran, Suite

TRACE = 'echo started >> "$OPEN/trace"; '

Mistake = Callable[[Suite], str]


def complaint(ran: Ran) -> str:
    """Return the one line that a usage error is."""
    assert ran.status == 4
    assert ran.report == {}
    assert "Traceback" not in ran.out + ran.err
    assert "INTERNALERROR" not in ran.out + ran.err
    (line,) = [line for line in ran.err.splitlines() if line]
    assert line.startswith("ERROR: ")
    return line.removeprefix("ERROR: ")


def refused(suite: Suite, *arguments: str | Path, apart: bool = False) -> str:
    """Run with a mistake in the options, and return what was said."""
    suite.write(case_text(), "cases/one.toml")
    said = complaint(suite.drive(TRACE + GOOD, *arguments, apart=apart))
    assert os.listdir(suite.place.open) == []
    assert not (suite.path / "boxproof-out").exists()
    return said


def _written(content: bytes, mode: int = 0o755) -> Mistake:
    def make(suite: Suite) -> str:
        path = suite.place.root / "wrong"
        path.write_bytes(content)
        path.chmod(mode)
        return str(path)

    return make


def _folder(suite: Suite) -> str:
    return str(suite.place.open)


HELPERS: dict[str, tuple[Mistake, str]] = {
    "missing": (lambda _: "/does/not/exist", "cannot be found (No such file or directory)"),
    "missing-name": (lambda _: "no-such-helper", "is not on PATH"),
    "empty": (lambda _: "", "the helper '' is not on PATH"),
    "below-a-file": (lambda _: "/etc/passwd/helper", "cannot be found (Not a directory)"),
    "folder": (_folder, "is a folder"),
    "not-executable": (_written(b"#!/bin/sh\n", 0o644), "is not executable"),
    "no-shebang": (_written(b"echo fine\n"), "script without a '#!' line"),
    "empty-file": (_written(b""), "cannot be executed"),
    "no-interpreter": (_written(b"#!/does/not/exist\n"), "cannot be started (No such file or directory)"),
    "device": (lambda _: "/dev/null", "is not executable"),
    "known-bad": (lambda _: "known-bad:nothing", "there is no known-bad helper 'nothing'"),
}


@pytest.mark.parametrize("name", HELPERS)
def test_a_helper_that_cannot_be_started(suite: Suite, name: str) -> None:
    make, said = HELPERS[name]
    suite.write(case_text(), "cases/one.toml")
    assert said in complaint(suite.run(f"--helper={make(suite)}", f"--adapter={suite.adapter()}"))


def test_a_helper_that_no_adapter_fits(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    assert "no adapter fits" in complaint(suite.run(f"--helper={suite.helper('echo hello', 'unknown')}"))


def test_a_helper_that_says_a_gibibyte_when_asked(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    said = complaint(suite.run(f"--helper={suite.helper('exec head -c 1073741824 /dev/zero', 'unknown')}"))
    assert "printed more than 64 KiB" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="launches run as the tests' own user")
def test_a_helper_that_the_launch_user_cannot_reach(suite: Suite) -> None:
    suite.write(case_text(), "cases/one.toml")
    closed = suite.place.root / "closed"
    closed.mkdir(mode=0o700)
    helper = suite.helper().rename(closed / "standin")
    assert f"cannot execute '{helper}'" in complaint(suite.run(f"--helper={helper}", f"--adapter={suite.adapter()}"))


def test_a_helper_given_twice(suite: Suite) -> None:
    assert "two --helper options" in refused(suite, f"--helper={suite.place.root / 'standin'}")


@pytest.mark.parametrize(
    ("option", "said"),
    (
        ("--adapter=bwarp", "there is no adapter 'bwarp'; did you mean 'bwrap'?"),
        ("--adapter=none.toml", "'none.toml' cannot be read (No such file or directory)"),
        ("--adapter=cases/", "cannot be read (Is a directory)"),
        ("--helper-env=NAME", "--helper-env=NAME sets no variable"),
        ("--helper-env==value", "--helper-env==value sets no variable"),
        ("--profile=must", "--profile"),
        ("--run-as=nobody", "--run-as"),
        ("--repeat=0", "--repeat=0"),
        ("--repeat=-3", "--repeat=-3"),
        ("--repeat=two", "--repeat"),
        ("--launch-timeout=-1", "--launch-timeout=-1"),
        ("--launch-timeout=nan", "--launch-timeout=nan"),
        ("--launch-timeout=inf", "--launch-timeout=inf"),
        ("--launch-timeout=soon", "--launch-timeout"),
        ("--report=result.yaml", "'result.yaml' has no known suffix"),
        ("--report=result", "'result' has no known suffix"),
        ("--report=none/result.json", "is not there"),
        ("--report=folder.json", "is a folder"),
        ("--case=none.toml", "none.toml' is not there"),
        ("--case=cases", "is a folder"),
        ("--cases-out=conftest.py", "--cases-out"),
        ("--cases-out=conftest.py/out", "--cases-out"),
        ("--farm-root=/does/not/exist", "'/does/not/exist' (no such folder)"),
        ("--farm-root=/tmp", "'/tmp' (a temp folder)"),
    ),
)
def test_an_option_that_makes_no_sense(suite: Suite, option: str, said: str) -> None:
    (suite.path / "folder.json").mkdir()
    assert said in refused(suite, option)


def test_a_variable_of_a_nul_byte_is_no_variable(suite: Suite) -> None:
    assert "--helper-env" in refused(suite, "--helper-env=A=b\0c")


@pytest.mark.skipif(os.geteuid() == 0, reason="root is root")
def test_an_ordinary_user_cannot_run_as_root(suite: Suite) -> None:
    assert "--run-as=root" in refused(suite, "--run-as=root")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_case_file_that_cannot_be_read(suite: Suite) -> None:
    suite.write("", "closed.toml").chmod(0)
    assert "closed.toml" in refused(suite, "--case=closed.toml")


ADAPTERS = {
    "not-toml": ("name = \n", "is no TOML"),
    "not-text": ("name = '\udcff'\n", "is no TOML"),
    "empty": ("", "'name': is no name"),
    "unknown-key": ('name = "x"\nbinary = ["x"]\n', "'binary': there is no such key; did you mean 'binaries'?"),
    "unknown-piece": ('name = "x"\n[argv]\nread = []\n', "'argv.read': there is no such key"),
    "wrong-type": ('name = "x"\nbinaries = "x"\n', "'binaries': holds something other than strings"),
    "wrong-name": ('name = "Ä"\n', "'name': is no name"),
    "capability": ('name = "x"\ncapabilities = ["denies"]\n', "'denies' is no capability; did you mean 'deny'?"),
    "claim": ('name = "x"\ncapabilities = ["deny"]\n', "claims 'deny', but there is no 'argv.deny-file'"),
    "placeholder": ('name = "x"\n[argv]\nro = ["{paths}"]\n', "there is no '{paths}' here; did you mean 'path'?"),
    "pattern": ('name = "x"\nversion-pattern = "("\n', "'version-pattern': is no regular expression"),
    "env": ('name = "x"\nenv = { A = 1 }\n', "'env': holds something other than strings"),
    "large": ("#" * (1 << 17), "is larger than 64 KiB"),
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_file_with_an_error(suite: Suite, name: str) -> None:
    text, said = ADAPTERS[name]
    path = suite.path / "wrong.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    line = refused(suite, "--adapter=wrong.toml")
    assert said in line
    assert "wrong.toml" in line


@pytest.mark.parametrize("option", ("--helper=/does/not/exist", "--profile=must", "--farm-root=/tmp"))
def test_it_is_the_same_in_a_process_of_its_own(suite: Suite, option: str) -> None:
    refused(suite, option, apart=True)


def test_it_is_the_same_with_workers(suite: Suite) -> None:
    refused(suite, "--repeat=0", "-p", "xdist", "-n", "2", apart=True)
