# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from pathlib import Path

from boxproof.helpers.base import Helper
from boxproof.helpers.reference import Reference
from boxproof.model.capability import Capability
from tests.helpers.conftest import places_of, policy_of

HELPER = Helper("reference", "/kit/boxproof-reference")


def test_the_policy_is_a_file_and_keeps_every_spelling() -> None:
    policy = policy_of("rw /f/ws", r"deny /f/\xff//x", "rw /f/ws", reads="listed", tmp="writable")
    found = Reference().invocation(HELPER, policy, ["/bin/sh"], places_of())
    assert found.argv == ("/kit/boxproof-reference", "--policy", "/files/policy.json", "--", "/bin/sh")
    assert json.loads(found.files["policy.json"]) == {
        "cwd": "/f/ws",
        "reads": "listed",
        "rules": [
            {"path": "/f/ws", "access": "rw"},
            {"path": "/f/\udcff//x", "access": "deny"},
            {"path": "/f/ws", "access": "rw"},
        ],
        "network": False,
        "tmp": "writable",
    }


def test_it_claims_everything_but_overriding_grants() -> None:
    assert set(Capability) - Reference().claims(HELPER) == {Capability.GRANT_OVERRIDES_DENY}


def test_it_is_recognised_by_name() -> None:
    assert Reference().recognises(Path("/x/boxproof-reference"))
    assert not Reference().recognises(Path("/x/reference"))
