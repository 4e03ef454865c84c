# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from typing import Any

import pytest
from attrs import evolve

from boxproof.errors import HelperError
from boxproof.helpers.base import CannotExpressError, Helper, Invocation
from boxproof.helpers.codex import NAME, Codex
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy
from tests.helpers.conftest import Script, places_of, policy_of

RULES = ("rw /f/ws", "ro /f//ws/ro", "deny /f/x", "deny /f/x")


def invoke(surface: str, policy: Policy) -> Invocation:
    return Codex().invocation(
        Helper("codex", "/v/bin/codex", surface=surface), policy, ["/bin/sh", "-c", ":"], places_of()
    )


def entry(path: str, access: str) -> dict[str, Any]:
    return {"path": {"type": "path", "path": path}, "access": access}


def special(kind: str, access: str) -> dict[str, Any]:
    return {"path": {"type": "special", "value": {"kind": kind}}, "access": access}


def test_it_is_started_through_a_link_that_the_sandbox_shows() -> None:
    found = invoke("profile-deny", policy_of(*RULES))
    assert found.argv[0] == "/files/codex-linux-sandbox"
    assert found.links == {NAME: "/v/bin/codex"}
    assert found.argv[-4:] == ("--", "/bin/sh", "-c", ":")


@pytest.mark.parametrize(("surface", "word"), (("profile-deny", "deny"), ("profile-none", "none")))
def test_a_profile_has_the_rules_in_list_order(surface: str, word: str) -> None:
    found = invoke(surface, policy_of(*RULES))
    assert found.argv[1:6] == ("--sandbox-policy-cwd", "/f/ws", "--command-cwd", "/f/ws", "--permission-profile")
    assert json.loads(found.argv[6]) == {
        "type": "managed",
        "file_system": {
            "type": "restricted",
            "entries": [
                special("root", "read"),
                entry("/f/ws", "write"),
                entry("/f//ws/ro", "read"),
                entry("/f/x", word),
                entry("/f/x", word),
            ],
        },
        "network": "restricted",
    }


def test_listed_reads_grant_the_helpers_own_folders() -> None:
    found = invoke("profile-deny", policy_of("rw /f/ws", reads="listed"))
    entries = json.loads(found.argv[6])["file_system"]["entries"]
    own = [entry("/files", "read"), entry("/v/bin", "read")]
    assert entries == [special("minimal", "read"), *own, entry("/f/ws", "write")]


def test_network_and_temp_folder_are_said() -> None:
    policy = evolve(policy_of("rw /f/ws", tmp="writable"), network=True)
    profile = json.loads(invoke("profile-deny", policy).argv[6])
    assert profile["network"] == "enabled"
    assert special("tmpdir", "write") in profile["file_system"]["entries"]


def test_the_split_surface_has_two_policies() -> None:
    found = invoke("split", policy_of(*RULES)).argv
    assert found[1:4] == ("--sandbox-policy-cwd", "/f/ws", "--file-system-sandbox-policy")
    assert json.loads(found[4])["kind"] == "restricted"
    assert json.loads(found[4])["entries"][-1] == entry("/f/x", "none")
    assert found[5:7] == ("--network-sandbox-policy", '"restricted"')


def test_the_legacy_surfaces_have_roots() -> None:
    found = invoke("legacy-bwrap", policy_of("rw /f/ws", "rw /f/b")).argv
    assert found[3:5] == ("--use-bwrap-sandbox", "--sandbox-policy")
    assert json.loads(found[5]) == {
        "type": "workspace-write",
        "writable_roots": ["/f/ws", "/f/b"],
        "network_access": False,
        "exclude_tmpdir_env_var": True,
        "exclude_slash_tmp": True,
    }
    assert json.loads(invoke("legacy", policy_of()).argv[4]) == {"type": "read-only"}


@pytest.mark.parametrize("surface", ("split", "legacy"))
def test_a_read_only_workspace_beside_writable_folders_cannot_be_said_before_profiles(surface: str) -> None:
    with pytest.raises(CannotExpressError, match="working folder"):
        invoke(surface, policy_of("rw /f/b"))
    assert invoke("profile-none", policy_of("rw /f/b")).links


def test_names_that_are_not_utf8_cannot_be_said() -> None:
    with pytest.raises(CannotExpressError, match="UTF-8"):
        invoke("profile-deny", policy_of(r"ro /f/\xff"))
    assert Capability.RAW_NAMES not in Codex().claims(Helper("codex", "/c", surface="profile-deny"))


def test_the_legacy_surfaces_claim_less() -> None:
    claims = [Codex().claims(Helper("codex", "/c", surface=surface)) for surface in ("split", "legacy-bwrap", "legacy")]
    assert claims[0] > claims[1] > claims[2]
    assert not {Capability.DENY, Capability.LISTED_READS, Capability.RO_RULES} & claims[1]


FAKE = """
case "$1" in
    --version) echo 'WARNING: no home'; echo 'codex-cli 9.8.7'; exit 0;;
    --sandbox-policy-cwd) ;;
    *) exit 2;;
esac
case "$*" in *%s*) exit 101;; *) exit 2;; esac
"""


@pytest.mark.parametrize(
    ("known", "surface"),
    (
        ('--permission-profile*\\"deny\\"', "profile-deny"),
        ('--permission-profile*\\"none\\"', "profile-none"),
        ("--file-system-sandbox-policy", "split"),
        ("--use-bwrap-sandbox", "legacy-bwrap"),
        ('"--sandbox-policy-cwd / --sandbox-policy "', "legacy"),
    ),
)
def test_the_surface_is_the_first_that_is_no_wrong_usage(script: Script, known: str, surface: str) -> None:
    binary = script(FAKE % known, "codex")
    assert Codex().describe(binary, {}) == Helper("codex-9.8.7", str(binary.resolve()), "9.8.7", surface)


@pytest.mark.parametrize("body", ("exit 0", "exit 2", "exit 101"))
def test_a_binary_that_answers_everything_alike_is_refused(script: Script, body: str) -> None:
    with pytest.raises(HelperError, match="none of the command lines"):
        Codex().describe(script(body), {})


def test_the_folder_that_older_releases_make_is_declared_for_them_only() -> None:
    by_surface = {
        surface: Codex().leftovers(Helper("c", "/c", surface=surface)) for surface in ("split", "profile-deny")
    }
    assert "farm/*/.codex" in by_surface["split"]
    assert "farm/*/.codex" not in by_surface["profile-deny"]
