# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from attrs import evolve

from boxproof.model.capability import Capability
from boxproof.model.case import SPOILT, Spoilt
from boxproof.model.needs import needs
from boxproof.model.probe import parse_probe
from tests.model.asked import FARM, Details, asked

C = Capability
LISTED: Details = {"reads": "listed"}
ROWS: tuple[tuple[str, str, Details, set[Capability]], ...] = (
    ("rw ws", "", {}, set()),
    ("rw ws; rw ws", "", {}, set()),
    ("rw home", "", {"cwd": "home"}, set()),
    # words
    ("rw ws", "", LISTED, {C.LISTED_READS}),
    ("rw ws; ro store", "", {}, {C.RO_RULES}),
    ("rw ws; ro store", "", LISTED, {C.LISTED_READS}),
    ("rw ws; rw store", "", {}, {C.RW_RULES}),
    ("rw ws; rw home/gone", "", {}, {C.RW_RULES}),
    ("rw home/to-ws", "", {"cwd": "home"}, {C.RW_RULES, C.RO_CWD}),
    (r"rw ws; ro home/\xff", "", {}, {C.RO_RULES, C.RAW_NAMES}),
    ("rw ws; ro home/é", "", {}, {C.RO_RULES}),
    # NEST-1
    ("rw ws; deny home/none", "", {}, {C.DENY, C.CARVE_OUT}),
    ("rw ws; deny store/key", "", {}, {C.DENY, C.CARVE_OUT}),
    ("rw ws; deny home/loop", "", {}, {C.DENY}),
    ("rw ws; deny store/key", "", LISTED, {C.DENY, C.LISTED_READS}),
    ("rw ws; deny ws/sub", "", LISTED, {C.DENY, C.LISTED_READS, C.CARVE_OUT}),
    ("rw ws; ro store; deny store/key", "", LISTED, {C.DENY, C.LISTED_READS, C.CARVE_OUT}),
    ("rw ws; ro ws/sub", "", {}, {C.RO_RULES, C.CARVE_OUT}),
    ("rw .; ro ws; deny ws/sub", "", LISTED, {C.RW_RULES, C.RO_CWD, C.DENY, C.LISTED_READS, C.CARVE_OUT}),
    ("rw ws; ro store/keys; rw store", "", {}, {C.RO_RULES, C.RW_RULES, C.CARVE_OUT}),
    ("rw ws; ro store; rw home/rel", "", {}, {C.RO_RULES, C.RW_RULES, C.WIDENING}),
    ("rw ws; deny store; rw store/keys", "", {}, {C.DENY, C.RW_RULES, C.CARVE_OUT}),
    ("rw ws; rw ws/sub", "", {}, {C.RW_RULES}),
    ("rw ws; ro home/to-ws", "", {}, {C.RO_RULES, C.CARVE_OUT}),
    # the working folder
    ("", "", {}, {C.RO_CWD}),
    ("rw ws", "", {"cwd": "home"}, {C.RW_RULES, C.RO_CWD}),
    ("rw home/rel", "", {"cwd": "home/rel"}, set()),
    ("rw ws", "", {"cwd": "home/none"}, {C.RW_RULES}),
    # ESC-1
    ("rw ws", "chmod ws/file", {}, set()),
    ("rw ws", "touch ws/sub/one", {}, set()),
    ("rw ws", "chmod ws/way/one", {}, {C.METADATA}),
    ("rw ws", "read ws/file; touch store/key", {}, {C.METADATA}),
    ("rw ws", "chmod home/none", {}, {C.METADATA}),
    ("rw ws; ro ws/file", "chmod ws/file", {}, {C.RO_RULES, C.CARVE_OUT, C.METADATA}),
    ("rw ws", "remove store/key; write store/key", {}, set()),
)


@pytest.mark.parametrize(("rules", "probes", "details", "wanted"), ROWS)
def test_what_a_case_needs(rules: str, probes: str, details: Details, wanted: set[Capability]) -> None:
    assert needs(asked(rules, probes, **details), FARM) == wanted


@pytest.mark.parametrize("spoilt", SPOILT)
def test_a_spoilt_policy_needs_a_document(spoilt: Spoilt) -> None:
    case = evolve(asked("rw ws"), spoilt=spoilt)
    assert (C.POLICY_DOCUMENT in needs(case, FARM)) is bool(spoilt)


def test_the_second_run_counts() -> None:
    case = evolve(asked("rw ws"), then=(parse_probe("chmod store/key"),))
    assert needs(case, FARM) == {C.METADATA}


def test_a_network_needs_the_switch() -> None:
    case = asked("rw ws")
    assert needs(evolve(case, policy=evolve(case.policy, network=True)), FARM) == {C.NETWORK_SWITCH}


def test_a_working_folder_of_any_bytes_needs_raw_names() -> None:
    case = asked("rw ws", cwd="home/\udcff")
    assert C.RAW_NAMES in needs(case, FARM)
