# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from boxproof.errors import CaseError
from boxproof.model.case import Case
from boxproof.model.casefile import dump_case, load_case
from boxproof.model.containment import check_contained
from boxproof.model.policy import Policy, Rule
from boxproof.model.topology import File, HardLink, Link, Mount, Socket
from boxproof.reducing.minimise import Fails, minimise
from boxproof.reducing.weight import weight
from tests.model.strategies import topologies
from tests.reducing.helpers import Counted, denied_twice, make, meaning, rules_of, through, tree_of

EIGHT = """
    ws/
    ws/file             file
    store/
    store/key           file
    store/other         file
    home/
    home/one            -> ../store/key
    home/two            -> {farm}/store/other
    """
FOUR = ("rw ws", "deny store/key", "ro home/two", "deny home/one")


def test_eight_entries_and_four_rules_come_down_to_a_file_a_link_and_two_denies() -> None:
    small = minimise(make(EIGHT, *FOUR), denied_twice).case
    assert tree_of(small) == ["key file", "one -> key"]
    assert rules_of(small) == ["deny key", "deny one"]
    assert small.policy.cwd == "{farm}"


def test_a_workspace_that_the_fault_needs_stays() -> None:
    def fails(case: Case) -> bool:
        return denied_twice(case) and "rw ws" in rules_of(case)

    small = minimise(make(EIGHT, *FOUR), fails).case
    assert tree_of(small) == ["ws/", "key file", "one -> key"]
    assert rules_of(small) == ["rw ws", "deny key", "deny one"]


def test_what_a_case_is_filed_under_stays() -> None:
    case = evolve(make(EIGHT, *FOUR), level="SHOULD", sources=("owner/name#1",))
    small = minimise(case, denied_twice).case
    assert (small.id, small.requirement, small.level, small.sources) == ("given", "MASK-2", "SHOULD", ("owner/name#1",))
    assert small.title == "a given case (reduced)"
    assert minimise(small, denied_twice).case == small


@pytest.mark.parametrize("limit", (0, 1, 5))
def test_no_more_is_asked_than_the_limit(limit: int) -> None:
    fails = Counted(denied_twice)
    reduced = minimise(make(EIGHT, *FOUR), fails, limit)
    assert (len(fails.asked), reduced.launches, reduced.complete) == (limit, limit, False)
    assert denied_twice(reduced.case)


def test_nothing_is_asked_twice() -> None:
    fails = Counted(denied_twice)
    reduced = minimise(make(EIGHT, *FOUR), fails)
    assert len(set(fails.asked)) == len(fails.asked) == reduced.launches
    assert reduced.complete
    assert reduced.launches <= reduced.tried


def test_a_case_that_cannot_be_smaller_is_returned_as_it_is() -> None:
    case = make("key file\none -> key", "deny key", "deny one", cwd="{farm}")
    assert minimise(case, denied_twice).case == case


def test_an_absolute_link_stays_one_where_that_matters() -> None:
    case = make("ws/\na/\na/b/\na/b/key file\nhome/\nhome/one -> {up}{farm}/a/b", "rw ws", "deny home/one/key")

    def fails(case: Case) -> bool:
        return through("{farm}")(case) or through("{up}")(case)

    small = minimise(case, fails).case
    assert rules_of(small) == ["deny home/one/key".replace("home/", "")]
    assert tree_of(small) == ["b/", "b/key file", "one -> {farm}/b"]


def test_a_chain_becomes_one_link() -> None:
    case = make("ws/\nkey file\none -> two\ntwo -> three\nthree -> key", "deny key", "deny one")
    assert tree_of(minimise(case, denied_twice).case) == ["key file", "one -> key"]


def test_kinds_modes_and_words_that_nothing_needs_become_plain() -> None:
    tree = "ws/\nws/sub/ mode=0700\nws/key file mode=0600\nws/again = ws/key\nws/sock socket listening\nws/disk/ tmpfs"
    case = evolve(
        make(tree, "deny ws/again", "ro ws/sock", "rw ws/disk", "ro ws/sub", reads="listed", probes=("read ws/key",)),
        launch=frozenset({"ran"}),
        reorder=True,
        deadline=3.0,
    )
    small = minimise(case, lambda case: len(case.policy.rules) == 4).case
    kept = {type(entry) for entry in small.topology}
    assert not kept & {HardLink, Socket, Mount}
    assert all(entry.mode == 0o644 for entry in small.topology if isinstance(entry, File))
    assert (small.policy.reads, small.probes, small.launch) == ("everything", (), frozenset())
    assert (small.reorder, small.deadline) == (False, 0.0)


def test_probes_that_the_fault_needs_stay() -> None:
    probes = ("rename ws/a ws/b", "read store/key", "symlink ws/l {farm}/store", "read ws/l/key")
    case = make("ws/\nws/a file\nstore/\nstore/key file", "rw ws", "deny store", probes=probes)

    def fails(case: Case) -> bool:
        return any(probe.operation == "symlink" for probe in case.probes)

    small = minimise(case, fails).case
    assert [(probe.operation, probe.path) for probe in small.probes] == [("symlink", "ws/l")]


def test_an_order_that_does_not_matter_is_the_usual_one() -> None:
    case = make("ws/\nkey file\none file", "deny one", "ro key", "rw ws")
    assert rules_of(minimise(case, lambda case: len(case.policy.rules) == 3).case) == ["rw ws", "ro key", "deny one"]


def test_an_order_that_matters_stays() -> None:
    case = make("ws/\nkey file", "deny key", "rw ws")

    def fails(case: Case) -> bool:
        return [rule.access for rule in case.policy.rules] == ["deny", "rw"]

    assert rules_of(minimise(case, fails).case) == ["deny key", "rw ws"]


def test_long_and_odd_names_become_short() -> None:
    case = make("a-rather-long-folder/\na-rather-long-folder/$\\x20 file", "deny a-rather-long-folder/$\\x20")
    small = minimise(case, lambda case: bool(case.policy.rules)).case
    assert (tree_of(small), rules_of(small)) == (["file file"], ["deny file"])


def test_an_odd_name_that_matters_stays() -> None:
    case = make("folder-of-it/\nfolder-of-it/$\\x20 file", "deny folder-of-it/$\\x20")
    small = minimise(case, lambda case: any(" " in rule.spelling for rule in case.policy.rules)).case
    assert rules_of(small) == ["deny $\\x20"]


def test_many_rules_are_dropped_in_few_launches() -> None:
    names = [f"k{number}" for number in range(64)]
    case = make("\n".join(f"{name} file" for name in names), *(f"deny {name}" for name in names), cwd="{farm}")
    reduced = minimise(case, lambda case: "deny k7" in rules_of(case) and "deny k50" in rules_of(case), 60)
    assert rules_of(reduced.case) == ["deny k7", "deny k50"]


def test_what_only_goes_together_with_something_else_stays() -> None:
    # a local minimum: the two links are needed or neither is, and no step takes both
    case = make("key file\none -> key\ntwo -> key", "deny one", "deny two", cwd="{farm}")

    def fails(case: Case) -> bool:
        return len([entry for entry in case.topology if isinstance(entry, Link)]) != 1 and bool(case.policy.rules)

    small = minimise(case, fails).case
    assert len(small.topology.entries) in {1, 3}


def test_no_case_that_leaves_its_farm_is_asked_about() -> None:
    case = make("ws/\nws/sub/\nws/sub/up -> ../..\nws/file file", "rw ws", probes=("write ws/sub/up/ws/file",))
    fails = Counted(lambda _: True)
    minimise(case, fails)
    for asked in fails.asked:
        check_contained(asked, "/farm/of/case")


@st.composite
def cases(draw: st.DrawFn) -> Case:
    topology = draw(topologies())
    paths = [entry.path for entry in topology] or ["none"]
    spelled = st.sampled_from([*paths, *(f"{path}/x" for path in paths), "{farm}", "missing", "./" + paths[0]])
    rules = draw(st.lists(st.builds(Rule, st.sampled_from(("ro", "rw", "deny")), spelled), max_size=4))
    return Case("drawn", "MASK-1", "drawn", topology, Policy(draw(spelled), tuple(rules)))


PREDICATES: dict[str, Fails] = {
    "links": lambda case: any(named.found.links for named in meaning(case).named),
    "deny": lambda case: any(rule.access == "deny" for rule in case.policy.rules),
    "files": lambda case: sum(isinstance(entry, File) for entry in case.topology) > 1,
    "nested": lambda case: any("/" in entry.path for entry in case.topology),
    "nowhere": lambda case: any(named.found.error for named in meaning(case).named),
    "anything": lambda _: True,
}


@given(case=cases(), name=st.sampled_from(sorted(PREDICATES)))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_the_smallest_case_fails_is_valid_and_stays_as_it_is(case: Case, name: str) -> None:
    fails = PREDICATES[name]
    assume(_is_valid(case) and fails(case))
    reduced = minimise(case, fails, 400)
    small = reduced.case
    assert fails(small)
    assert weight(small) <= weight(case)
    assert _is_valid(small)
    assert load_case(dump_case(small), "small.toml") == small
    assert not reduced.complete or minimise(small, fails, 400).case == small


def _is_valid(case: Case) -> bool:
    try:
        check_contained(case, "/farm/of/case")
    except CaseError:
        return False
    return True
