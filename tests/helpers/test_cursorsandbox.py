# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from boxproof.errors import HelperError
from boxproof.helpers.base import CannotExpressError, Helper, Invocation, Lead, Places
from boxproof.helpers.cursorsandbox import BACKEND, FILE, FILE_WITH_READS, INLINE, CursorSandbox
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy
from tests.helpers.conftest import Script, places_of, policy_of

STANDIN = Path(__file__).parent / "standins" / "cursorsandbox.sh"


def invoke(policy: Policy, places: Places, surface: str = FILE) -> Invocation:
    return CursorSandbox().invocation(Helper("c", "/v/cursorsandbox", surface=surface), policy, ["/bin/sh"], places)


def sandbox(*rules: str, leads: dict[str, Lead] | None = None, **settings: str) -> dict[str, Any]:
    found = invoke(policy_of(*rules, **settings), places_of(**(leads or {})))
    assert found.argv == ("/v/cursorsandbox", "--policy", "/files/policy.json", "--", "/bin/sh")
    said: dict[str, Any] = json.loads(found.files["policy.json"])["sandbox"]
    return said


def test_a_policy_with_a_writable_workspace() -> None:
    assert sandbox("rw /f/ws", "rw /f/b", "rw /f/ws", "ro /f/x", "deny /f/y") == {
        "type": "workspace_readwrite",
        "cwd": "/f/ws",
        "additionalReadwritePaths": ["/f/b", "/f/ws"],
        "additionalReadonlyPaths": {"/f": ["x", "x/**"]},
        "ignoreMapping": {"/f": ["y", "y/**"]},
        "networkAccess": False,
        "disableTmpWrite": True,
    }


def test_a_policy_without_anything_writable() -> None:
    said = sandbox("ro /f/ws", "deny /f/ws/x")
    assert said["type"] == "workspace_readonly"
    assert not said["additionalReadonlyPaths"]
    assert "additionalReadwritePaths" not in said


@pytest.mark.parametrize(
    ("spelling", "lead", "mapping"),
    (
        ("/f/d", Lead("folder", "/f/d", "/f"), {"/f/d": ["**"]}),
        ("/f/alias", Lead("folder", "/f/d", "/f"), {"/f/alias": ["**"], "/f/d": ["**"]}),
        ("/f/link.pem", Lead("file", "/f/ca.pem", "/f"), {"/f": ["link.pem", "link.pem/**"]}),
        ("/f/alias/x", Lead("file", "/f/d/x", "/f/d"), {"/f/alias": ["x", "x/**"], "/f/d": ["x", "x/**"]}),
        ("/f/none/x", Lead(), {"/f/none": ["x", "x/**"]}),
        ("/f/x/", Lead("missing", "", "/f/x"), {"/f/x": ["**"]}),
        ("/top", Lead("file", "/top", "/"), {"/": ["top", "top/**"]}),
        ("/f/a*[b]", Lead("file", "/f/a*[b]", "/f"), {"/f": ["a[*][[]b]", "a[*][[]b]/**"]}),
        ("/f/ a ", Lead("file", "/f/ a ", "/f"), {"/f": ["[ ]a[ ]", "[ ]a[ ]/**"]}),
        ("/f/!{a}", Lead("file", "/f/!{a}", "/f"), {"/f": [r"[\!][{]a[}]", r"[\!][{]a[}]/**"]}),
    ),
)
@pytest.mark.parametrize(("access", "key"), (("ro", "additionalReadonlyPaths"), ("deny", "ignoreMapping")))
def test_an_entry_becomes_patterns_as_in_the_sdk(
    access: str, key: str, spelling: str, lead: Lead, mapping: dict[str, list[str]]
) -> None:
    places = evolve(places_of(), leads={**places_of().leads, spelling: lead})
    found = invoke(policy_of("rw /f/ws", f"{access} {spelling}"), places)
    assert json.loads(found.files["policy.json"])["sandbox"][key] == mapping


def test_several_spellings_of_one_folder_lose_no_entry() -> None:
    alias = Lead("file", "/f/d/b", "/f/d")
    said = sandbox(
        "rw /f/ws", "deny /f/d/a", "deny /f/alias/b", leads={"d/a": Lead("file", "", "/f/d"), "alias/b": alias}
    )
    assert said["ignoreMapping"]["/f/d"] == ["a", "a/**", "b", "b/**"]


def test_a_workspace_that_a_rule_reaches_by_another_spelling_is_writable() -> None:
    leads = {"wsl": Lead("folder", "/f/ws", "/f"), "ws": Lead("folder", "/f/ws", "/f")}
    said = sandbox("rw /f/ws", cwd="/f/wsl", leads=leads)
    assert (said["type"], said["cwd"]) == ("workspace_readwrite", "/f/wsl")
    assert said["additionalReadwritePaths"] == ["/f/ws"]


def test_what_is_writable_beside_a_read_only_workspace_cannot_be_said() -> None:
    with pytest.raises(CannotExpressError, match="nothing writable"):
        sandbox("rw /f/b")


def test_a_workspace_that_cannot_be_read_cannot_be_said() -> None:
    with pytest.raises(CannotExpressError, match="readable"):
        sandbox("ro /f/b", reads="listed")


def test_listed_reads_are_the_systems_and_the_rules() -> None:
    said = sandbox("rw /f/ws", "ro /f//b", reads="listed")
    assert said["readBoundary"] == "workspace"
    assert "/usr/bin" in said["hardcodedReadPaths"]
    assert said["hardcodedReadPaths"][-1] == "/f//b"


def test_a_writable_temp_folder_is_the_launchs_own() -> None:
    said = sandbox("rw /f/ws", tmp="writable")
    assert said["disableTmpWrite"] is False
    assert said["additionalReadwritePaths"] == ["/scratch"]


def test_names_that_are_not_utf8_cannot_be_said() -> None:
    with pytest.raises(CannotExpressError, match="UTF-8"):
        sandbox("rw /f/ws", r"ro /f/\xff")


def test_claims_are_those_of_the_backend_and_the_surface() -> None:
    def claims(backend: str, surface: str) -> frozenset[Capability]:
        return CursorSandbox().claims(Helper("c", "/c", surface=surface, env={BACKEND: backend} if backend else {}))

    assert Capability.METADATA in claims("bubblewrap", FILE)
    assert Capability.METADATA not in claims("landlock", FILE) | claims("", FILE) | claims("auto", FILE)
    assert Capability.LISTED_READS in claims("", FILE_WITH_READS)
    assert Capability.LISTED_READS not in claims("", FILE)
    assert Capability.CARVE_OUT in claims("landlock", FILE)
    assert Capability.WIDENING not in claims("bubblewrap", FILE_WITH_READS)


def test_the_farm_is_one_repository() -> None:
    assert CursorSandbox().markers(policy_of()) == (".git",)


HELP = """[ "$1" = --help ] && { echo '  --policy <POLICY>  Path'; exit; }; [ "$3" = --preflight-only ] && exit %d"""


@pytest.mark.parametrize(
    ("body", "surface"),
    (
        (HELP % 0, FILE),
        (f"# readBoundary\n{HELP % 0}", FILE_WITH_READS),
        (f"# readBoundary\n{HELP % 2}", FILE),
    ),
)
def test_a_read_boundary_counts_where_it_is_known_and_enforced(script: Script, body: str, surface: str) -> None:
    assert CursorSandbox().describe(script(body), {}).surface == surface


def test_version_and_ripgrep_are_found_beside_the_binary(tmp_path: Path, script: Script) -> None:
    (tmp_path / "bin").mkdir()
    binary = script(HELP % 0).rename(tmp_path / "bin" / "cursorsandbox")
    (tmp_path / "package.json").write_text('{"name": "@cursor/sdk-linux-x64", "version": "1.2.3"}')
    (tmp_path / "bin" / "rg").touch()
    found = CursorSandbox().describe(binary, {"K": "v"})
    assert (found.name, found.version) == ("cursorsandbox-1.2.3", "1.2.3")
    assert found.env == {"K": "v", "CURSOR_RIPGREP_PATH": f"{tmp_path.resolve()}/bin/rg"}


def test_another_binary_is_refused(script: Script) -> None:
    with pytest.raises(HelperError, match="is no cursorsandbox"):
        CursorSandbox().describe(script("exit 0"), {})


def test_the_inline_surface_works_with_a_stand_in(tmp_path: Path) -> None:
    binary = tmp_path / "cursorsandbox"
    shutil.copy(STANDIN, binary)
    binary.chmod(0o755)
    adapter = CursorSandbox()
    helper = adapter.describe(binary, {})
    assert helper.surface == INLINE
    policy = policy_of("rw /f/ws", "ro /f/d", "ro /f/link.pem", "deny /f/y")
    found = adapter.invocation(helper, policy, ["/bin/echo", "ran"], places_of(d=Lead("folder", "/f/d", "/f")))
    ran = subprocess.run(found.argv, check=True, capture_output=True, text=True, timeout=20)
    policy_seen, command_said = ran.stdout.splitlines()
    assert json.loads(policy_seen)["additionalReadonlyPaths"] == ["/f/d", "/f/link.pem"]
    assert command_said == "ran"
    assert not found.files
