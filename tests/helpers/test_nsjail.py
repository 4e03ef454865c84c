# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from boxproof.errors import HelperError
from boxproof.helpers.base import CannotExpressError, Helper, Lead
from boxproof.helpers.nsjail import Nsjail
from tests.helpers.conftest import Script, places_of, policy_of

LEADS = {"d": Lead("folder", "/f/d", "/f"), "x": Lead("file", "/f/x", "/f")}
HELP = "echo '--bindmount_ro|-R --bindmount|-B --tmpfsmount|-T --disable_clone_newnet|-N'"


def words(*rules: str, network: bool = False, **policy: str) -> str:
    asked = evolve(policy_of(*rules, **policy), network=network)
    found = Nsjail().invocation(Helper("n", "/n"), asked, ["/bin/sh"], places_of(**LEADS)).argv
    return " ".join(found).removeprefix("/n -Mo -q -e --rlimit_as inf --rlimit_fsize inf ")


def test_a_rule_is_a_mount_in_the_lists_order() -> None:
    rules = ("rw /f//ws", "deny /f/d", "ro /f/y", "deny /f/x", "deny /f/none")
    mounts = "-B /f//ws -T /f/d -R /f/y -R /dev/null:/f/x -R /dev/null:/f/none"
    assert words(*rules) == f"-c / {mounts} -D /f/ws -- /bin/sh"


def test_listed_reads_are_the_system_and_the_rules() -> None:
    said = words("ro /f/y", reads="listed", tmp="writable", network=True)
    assert said.startswith("-R /usr ")
    assert said.endswith("-B /dev/null -N -B /scratch -R /f/y -D /f/ws -- /bin/sh")
    assert "-c" not in said.split()


@pytest.mark.parametrize("policy", (policy_of("rw /f/a:b"), policy_of(cwd="/f/a:b")))
def test_a_colon_cannot_be_said(policy: object) -> None:
    with pytest.raises(CannotExpressError, match="colon"):
        Nsjail().invocation(Helper("n", "/n"), policy, ["/bin/sh"], places_of())  # type: ignore[arg-type]


def test_the_version_is_that_of_the_package_around_the_binary(tmp_path: Path, script: Script) -> None:
    (tmp_path / "bin").mkdir()
    binary = script(HELP).rename(tmp_path / "bin" / "nsjail")
    assert Nsjail().recognises(binary)
    assert Nsjail().describe(binary, {}).name == "nsjail"
    (tmp_path / "_nsjail_version.py").write_text('"""x"""\n__nsjail_version__: str = "3.6"\n')
    found = Nsjail().describe(binary, {"K": "v"})
    assert (found.name, found.version, found.env) == ("nsjail-3.6", "3.6", {"K": "v"})
    (tmp_path / "_nsjail_version.py").write_bytes(b"\xff")
    assert Nsjail().describe(binary, {}).version == ""


def test_a_binary_without_one_of_the_options_is_refused(script: Script) -> None:
    with pytest.raises(HelperError, match="--tmpfsmount"):
        Nsjail().describe(script(HELP.replace("--tmpfsmount|-T", "")), {})
