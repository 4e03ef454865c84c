# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Unpack

import pytest
from hypothesis import given

from boxproof.model.derive import PROBES, SPELLINGS, derive
from boxproof.model.policy import Policy, Rule, spelled_at
from boxproof.model.probe import Probe, format_probe
from boxproof.model.resolve import Tree, resolve
from boxproof.model.topology import File, Topology
from boxproof.model.tree import parse_tree
from tests.model.asked import FARM, Details, asked, inside
from tests.model.policies import Drawn, drawn

SMALL = "ws/\nws/file file\nstore/\nstore/key file\nhome/\nhome/alias -> {farm}/store\n"


def probes(tree: str, *rules: str) -> list[str]:
    asked_for = Policy("ws", tuple(Rule("ro", rule) for rule in rules))
    return [format_probe(probe) for probe in derive(parse_tree(tree), asked_for, FARM)]


def of(rules: str, **details: Unpack[Details]) -> list[str]:
    case = asked(rules, **details)
    return [format_probe(probe) for probe in derive(case.topology, case.policy, FARM)]


def test_every_object_is_tried_by_every_spelling() -> None:
    assert probes(SMALL) == [
        "read ws/file",
        "read store/key",
        "read home/alias/key",
        "write ws/file",
        "write store/key",
        "create ws/new",
        "create store/new",
        "create home/new",
    ]


def test_reads_come_before_writes_and_these_before_new_names() -> None:
    operations = [probe.partition(" ")[0] for probe in of("rw ws; rw home/rel; deny home/gone")]
    assert operations == sorted(operations, key=["read", "write", "create"].index)


def test_a_rules_own_spelling_is_tried() -> None:
    assert "read home/../store/key" in probes(SMALL, "home/../store/key")
    assert "read home/../store/key" in probes(SMALL, "home/../store")
    assert "read home/../store/key" in probes(SMALL, "home/../store/")
    assert "read /x/../farm/of/case/store/key" not in probes(SMALL, "/x/../farm/of/case/store")
    assert not [probe for probe in probes(SMALL, "home/../st") if "read home/.." in probe]


def test_a_link_that_a_rule_crosses_is_written_through() -> None:
    tree = f"{SMALL}home/key -> ../store/key\n"
    assert "write home/key" in probes(tree, "home/key")
    assert "write home/key" not in probes(tree, "store/key")
    assert "create home/alias/new-1" in probes(tree, "ws", "home/alias")
    assert "create home/alias/new-1" in probes(tree, "ws", "home/alias/")
    assert not [probe for probe in probes(tree, "home", "ws") if "new-" in probe]


def test_a_missing_name_of_a_rule_is_made() -> None:
    found = of("rw ws; ro ws/none; deny home/gone; ro home/none/id")
    assert "create ws/none" in found
    assert "create home/gone" in found
    assert not [probe for probe in found if "home/none" in probe]


def test_every_hard_link_and_mount_is_tried() -> None:
    tree = f"{SMALL}home/copy = store/key\ndisk/ tmpfs\ntwin/ bind store\n"
    found = probes(tree)
    assert {"read home/copy", "write home/copy", "create disk/new", "create twin/newer"} <= set(found)


def test_links_sockets_and_fifos_are_not_files() -> None:
    found = probes("ws/\nws/link -> none\nws/socket socket\nws/pipe fifo")
    assert found == ["create ws/new"]


def test_one_object_has_a_few_spellings() -> None:
    links = "".join(f"l{number} -> store\n" for number in range(9))
    reads = [probe for probe in probes(SMALL + links) if probe.endswith("/key") and probe.startswith("read")]
    assert len(reads) == SPELLINGS


def test_no_probe_is_asked_twice_and_none_too_many() -> None:
    many = Topology(tuple(File(f"f{number}") for number in range(PROBES)))
    found = derive(many, Policy(""), FARM)
    assert len(set(found)) == len(found) == PROBES


@pytest.mark.parametrize("link", ("up -> ..", "up -> /", "up -> {up}etc", "up -> {farm}/../other"))
@pytest.mark.parametrize("spelling", ("up", "up/", "up/none"))
def test_nothing_is_made_outside_the_farm_through_a_rule(link: str, spelling: str) -> None:
    tree = parse_tree(f"ws/\n{link}\n")
    found = derive(tree, Policy("ws", (Rule("ro", spelling),)), FARM)
    assert outside(tree, found) == []


@pytest.mark.parametrize("text", ("/etc/new", "../../other", "{up}new", "{farm}/../other"))
def test_nothing_is_made_outside_the_farm_through_a_link(text: str) -> None:
    tree = parse_tree(f"ws/\nws/new -> {text}\n")
    assert outside(tree, derive(tree, Policy("ws"), FARM)) == []


@given(drawn())
def test_no_change_is_tried_outside_the_farm(case: Drawn) -> None:
    assert outside(case.topology, derive(case.topology, case.policy, FARM)) == []


@given(drawn())
def test_every_read_has_an_object(case: Drawn) -> None:
    tree = Tree(case.topology, FARM)
    for probe in derive(case.topology, case.policy, FARM):
        if probe.operation == "read":
            assert resolve(tree, spelled_at(probe.path, FARM)).node in {"file", ""}


def outside(topology: Topology, found: tuple[Probe, ...]) -> list[str]:
    """Return the probes that may change something that is not the farm's."""
    tree = Tree(topology, FARM, privileged=True)
    changing = [probe for probe in found if probe.operation != "read"]
    ends = [(probe, resolve(tree, spelled_at(probe.path, FARM))) for probe in changing]
    return [
        format_probe(probe)
        for probe, end in ends
        if end.error == "outside" or not (end.real or end.creatable or inside("x")).startswith(inside(""))
    ]


@pytest.mark.parametrize("spelling", ("{farm}//store/key", "{farm}/./store/key", "./store/key"))
def test_noise_at_the_beginning_of_a_spelling_leads_no_probe_elsewhere(spelling: str) -> None:
    topology = parse_tree("ws/\nstore/\nstore/key file\n")
    policy = Policy("ws", (Rule("rw", "ws"), Rule("ro", spelling)))
    reads = [probe.path for probe in derive(topology, policy, "/f/farm") if probe.operation == "read"]
    assert all(spelled_at(path, "/f/farm").startswith("/f/farm/") for path in reads)
    assert not any(path.startswith("./") for path in reads)
