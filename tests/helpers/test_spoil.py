# SPDX-License-Identifier: MIT

from __future__ import annotations

import json

import pytest

from boxproof.helpers.base import CannotExpressError, Invocation
from boxproof.helpers.spoil import spoilt
from boxproof.model.case import SPOILT, Spoilt

POLICY = {"cwd": "/farm/ws", "rules": [{"path": "/farm/ws", "access": "rw"}], "network": False}
IN_FILE = Invocation(("/bin/helper", "--policy", "p.json"), files={"p.json": json.dumps(POLICY).encode()})
IN_ARGUMENT = Invocation(("/bin/helper", "--policy", json.dumps(POLICY)))
FAULTS = [how for how in SPOILT if how]


@pytest.mark.parametrize("how", FAULTS)
def test_a_policy_in_a_file_has_a_place_for_every_fault(how: Spoilt) -> None:
    assert spoilt(IN_FILE, how).files != IN_FILE.files
    assert spoilt(IN_FILE, how).argv == IN_FILE.argv


@pytest.mark.parametrize("how", [how for how in FAULTS if how != "unreadable"])
def test_a_policy_in_an_argument_is_spoilt_there(how: Spoilt) -> None:
    assert spoilt(IN_ARGUMENT, how).argv[:2] == IN_ARGUMENT.argv[:2]
    assert spoilt(IN_ARGUMENT, how).argv[2] != IN_ARGUMENT.argv[2]


def test_an_argument_cannot_be_unreadable() -> None:
    with pytest.raises(CannotExpressError, match="no place for the fault 'unreadable'"):
        spoilt(IN_ARGUMENT, "unreadable")


def test_a_key_that_is_there_twice_is_there_twice() -> None:
    text = spoilt(IN_FILE, "duplicate-key").files["p.json"].decode()
    assert text.count('"cwd"') == 2
    assert json.loads(text) == POLICY


@pytest.mark.parametrize(
    ("how", "spoilt_policy"),
    (
        ("misspelt-access", {**POLICY, "rules": [{"path": "/farm/ws", "access": "rwx"}]}),
        ("relative-path", {**POLICY, "rules": [{"path": "farm/ws", "access": "rw"}]}),
        ("empty-path", {**POLICY, "rules": [{"path": "", "access": "rw"}]}),
        ("wrong-type", {**POLICY, "rules": 7}),
        ("unknown-key", {**POLICY, "boxproofUnknownKey": True}),
    ),
)
def test_each_fault_is_one_fault(how: Spoilt, spoilt_policy: dict[str, object]) -> None:
    assert json.loads(spoilt(IN_FILE, how).files["p.json"]) == spoilt_policy


def test_a_path_in_a_list_can_be_made_relative() -> None:
    lists = Invocation(("/bin/helper",), files={"p.json": json.dumps({"ro": ["/"], "rw": ["/a", "/b"]}).encode()})
    assert json.loads(spoilt(lists, "relative-path").files["p.json"]) == {"ro": ["/"], "rw": ["/a", "b"]}
