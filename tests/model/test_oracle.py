# SPDX-License-Identifier: MIT
"""The oracle's answers, a row for each thing that the contract says of a probe."""

from __future__ import annotations

import pytest

from boxproof.model.access import Meaning
from boxproof.model.oracle import expect, secrets
from boxproof.model.resolve import Tree
from tests.model.asked import ANY, EITHER, FARM, NO, YES, Details, asked, expected, inside, meant, outcomes

TWICE: Details = {"tree": "twin/ bind store"}
LISTED: Details = {"reads": "listed"}
SHOULD: Details = {"level": "SHOULD"}

ROWS: dict[str, tuple[str, str, str, Details]] = {
    "START-1 ro": ("rw ws; ro store", "read store/key", YES, {}),
    "START-1 ro is not written": ("rw ws; ro store", "write store/key", NO, {}),
    "START-1 rw": ("rw ws", "write ws/file", YES, {}),
    "START-1 a new name": ("rw ws", "create ws/new", YES, {}),
    "START-1 a new name elsewhere": ("rw ws", "create store/new", NO, {}),
    "START-1 a write may make a file": ("rw ws", "write ws/new", YES, {}),
    "START-1 a write elsewhere makes none": ("rw ws", "write store/new", NO, {}),
    "START-1 a writable file does not open its folder": ("rw store/key", "create store/new", NO, {}),
    "START-1 a name that is there": ("rw ws", "create ws/file", NO, {}),
    "START-2 the other rules hold": ("rw ws; ro home/gone; deny store/key", "read store/key", NO, {}),
    "START-2 nothing is granted": ("rw ws; ro home/gone", "create store/none", NO, {}),
    "START-2 a missing name may be protected or not": ("rw ws; ro ws/none", "create ws/none", EITHER, {}),
    "START-2 by a dangling link": ("rw ws; ro ws/gone", "create ws/gone", EITHER, {}),
    "START-2 behind a closed folder": ("rw ws; ro home/locked/id", "read home/locked/id", NO, {}),
    "START-3 the name may be made where all may": ("rw ws; rw ws/none", "create ws/none", YES, {}),
    "START-3 the name is not made elsewhere": ("rw ws; rw home/none", "create home/none", NO, {}),
    "START-4 a dangling link inside": ("rw ws", "read ws/gone", NO, {}),
    "START-4 a loop inside": ("rw ws", "read ws/loop", NO, {}),
    "BIND-1 listed": ("rw ws; ro store", "read store/key", YES, LISTED),
    "BIND-1 through the rule's spelling": ("rw ws; ro home/abs", "read home/abs", YES, {}),
    "BIND-1 listed, by the rule's spelling or the real path": ("rw ws; ro home/abs", "read home/abs", EITHER, LISTED),
    "BIND-1 listed by both": ("rw ws; ro home/abs; ro store/key", "read store/key", YES, LISTED),
    "BIND-1 listed, and the real path": ("rw ws; ro home/rel", "read store/keys/one", EITHER, LISTED),
    "BIND-1 rw": ("rw ws; rw home/rel", "write store/keys/one", YES, {}),
    "BIND-1 rw, a new name": ("rw ws; rw home/rel", "create home/rel/new", YES, {}),
    "BIND-2 by every spelling": ("rw ws; ro store", "read home/deep/one", YES, {}),
    "BIND-2 that is shown": ("rw ws; ro store; ro home", "read home/abs", YES, LISTED),
    "BIND-2 and by none that is not": ("rw ws; ro store", "read home/abs", EITHER, LISTED),
    "BIND-4 deny against rw": ("rw store/key; deny home/abs", "read store/key", NO, {}),
    "BIND-4 ro against rw": ("rw store/key; ro home/abs", "write store/key", EITHER, {}),
    "BIND-4 ro against rw, preferred": ("rw store/key; ro home/abs", "write store/key", NO, SHOULD),
    "BIND-4 ro against rw reads": ("rw store/key; ro home/abs", "read store/key", YES, {}),
    "BIND-6 through a link": ("rw home/rel", "read ./one", YES, {"cwd": "home/rel"}),
    "BIND-6 a denied one": ("rw ws; deny store", "read ./key", NO, {"cwd": "store"}),
    "BIND-7 what the kernel makes of it": ("rw ws; deny home/deep/../key", "read store/key", NO, {}),
    "BIND-7 a deny may take its text": ("rw ws; deny home/deep/../key", "read home/key", EITHER, {}),
    "BIND-7 an allow may not": ("rw ws; rw home/deep/../key", "write home/key", NO, {}),
    "BIND-7 a slash after a file": ("rw ws; ro ws/file/", "write ws/file", EITHER, {}),
    "BIND-7 a slash after a denied file": ("rw ws; deny store/key/", "read store/key", EITHER, {}),
    "BIND-7 a slash after a denied file, preferred": ("rw ws; deny store/key/", "read store/key", NO, SHOULD),
    "BIND-8 a submount is not written": ("rw ws; ro lib", "write lib/disk/two", NO, {}),
    "BIND-8 a submount is not read": ("rw ws; deny lib", "read lib/disk/two", NO, {}),
    "NEST-1 ro in rw": ("rw ws; ro ws/sub", "write ws/sub/one", NO, {}),
    "NEST-1 ro in rw, a new name": ("rw ws; ro ws/sub", "create ws/sub/new", NO, {}),
    "NEST-1 rw in ro": ("ro ws; rw ws/sub", "write ws/sub/one", YES, {}),
    "NEST-1 deny in rw": ("rw ws; deny ws/sub", "read ws/sub/one", NO, {}),
    "NEST-1 deny in ro": ("ro store; deny store/keys", "read store/keys/one", NO, {}),
    "NEST-1 three levels": ("rw store; ro store/keys; rw store/keys/one", "write store/keys/one", YES, {}),
    "NEST-2 an allow below a deny": ("deny store; ro store/keys", "read store/keys/one", EITHER, {}),
    "NEST-2 is no more than it says": ("deny store; ro store/keys", "write store/keys/one", NO, {}),
    "NEST-2 takes nothing from the deny": ("deny store; ro store/keys", "read store/key", NO, {}),
    "NEST-2 a deny below that": ("deny store; rw store/keys; deny store/keys/one", "read store/keys/one", NO, {}),
    "MASK-1 by another spelling": ("rw ws; deny store/key", "read home/abs", NO, {}),
    "MASK-1 not written": ("rw store; deny home/abs", "write store/key", NO, {}),
    "MASK-1 by the working folder": ("rw store; deny store/key", "read ./key", NO, {"cwd": "store"}),
    "MASK-2 a link inside": ("rw ws; deny ws; deny ws/way", "read store/keys/one", NO, {}),
    "MASK-3 a rule of its own": ("deny store/key; ro home/copy", "read home/copy", YES, {}),
    "MASK-3 nothing is denied": ("rw ws", "read home/copy", YES, {}),
    "MASK-3 no rule of its own": ("deny store/key", "read home/copy", EITHER, {}),
    "MASK-3 in a writable folder": ("deny store/key; rw home", "write home/copy", YES, {}),
    "MASK-4 cannot be made": ("rw ws; deny ws/none", "create ws/none", NO, {}),
    "MASK-4 by another spelling": ("rw ws; deny ws/gone", "create ws/none", NO, {}),
    "MASK-4 the neighbour can": ("rw ws; deny ws/none", "create ws/new", YES, {}),
    "MASK-6 below it": ("rw ws; deny store", "read store/keys/one", NO, {}),
    "MASK-6 by a chain": ("rw ws; deny store", "read ws/way/one", NO, {}),
    "MASK-6 a link that lies in it": ("rw ws; deny home", "read home/abs", EITHER, {}),
    "MASK-6 a way through it": ("rw ws; deny home", "read home/../store/key", EITHER, {}),
    "MASK-6 a new name by a link that lies in it": ("rw ws; deny home", "create home/to-none", EITHER, {}),
    "MASK-8 the root": ("deny /; rw ws", "read store/key", NO, {}),
    "MASK-9 at the second": ("deny store", "read twin/key", EITHER, TWICE),
    "MASK-9 at the first": ("deny twin/key", "read store/key", EITHER, TWICE),
    "MASK-9 at the second, preferred": ("deny store/key", "read twin/key", NO, {**TWICE, **SHOULD}),
    "MASK-9 at the first, preferred": ("deny twin/key", "read store/key", NO, {**TWICE, **SHOULD}),
    "MASK-9 granted at the first, write at the second": ("rw store", "write twin/key", EITHER, {**TWICE, **SHOULD}),
    "MASK-9 granted at the first, create at the second": ("rw store", "create twin/new", EITHER, {**TWICE, **SHOULD}),
    "MASK-9 granted at the second": ("rw twin", "write twin/key", YES, {**TWICE, **SHOULD}),
    "MASK-9 read-only at both": ("rw .; ro store", "write twin/key", EITHER, TWICE),
    "MASK-9 read-only at both, preferred": ("rw .; ro store", "write twin/key", NO, {**TWICE, **SHOULD}),
    "BIND-2 a second mount has the access": ("rw store", "write twin/key", EITHER, TWICE),
    "BIND-2 a second mount need not be shown": ("ro store", "read twin/key", EITHER, {**TWICE, **LISTED, **SHOULD}),
    "BIND-2 nor a link below one": (
        "ro store",
        "read twin/self/key",
        EITHER,
        {"tree": "store/self -> {farm}/store\ntwin/ bind store", **LISTED, **SHOULD},
    ),
    "ESC-1 by a link out": ("rw ws", "write ws/way/one", NO, {}),
    "ESC-1 a new name by a link out": ("rw ws", "create ws/way/new", NO, {}),
    "ESC-3 a name in a writable folder": ("rw ws; ro ws/file", "write ws/file", NO, {}),
    "PROC-4 a path socket": ("rw ws", "connect home/socket", EITHER, {}),
    "PROC-4 a path socket that is not listed": ("rw ws", "connect home/socket", EITHER, LISTED),
    "PROC-4 a path socket that is denied": ("rw ws; deny home/socket", "connect home/socket", NO, {}),
    "listed: nothing else": ("rw ws", "read store/key", NO, LISTED),
    "listed: written": ("rw ws", "write ws/file", YES, LISTED),
    "listed: made": ("rw ws", "create ws/new", YES, LISTED),
    "listed: made by a hidden link": ("rw ws", "create home/to-none", EITHER, LISTED),
    "listed: made through the rule's link": ("rw home/rel", "create store/keys/new", EITHER, LISTED),
    "modes: a file that its owner cannot write": ("rw ws", "write ws/sealed", EITHER, {}),
    "modes: a file that its owner cannot read": ("rw ws", "read ws/unread", EITHER, {}),
    "modes: a folder that its owner cannot write": ("rw ws", "create ws/shut/new", EITHER, {}),
    "not judged: a folder": ("rw ws", "read ws", ANY, {}),
    "not judged: a FIFO": ("rw ws", "read home/pipe", ANY, {}),
    "not judged: a name that the model does not know": ("rw ws", "read /etc/hostname", ANY, {}),
    "not judged: a new name there": ("rw ws", "create /etc/new", ANY, {}),
    "not judged: a listing": ("rw ws; deny store", "list store", ANY, {}),
    "not judged: a change": ("rw ws", "remove store/key", ANY, {}),
    "not judged: after a change": ("rw ws", "chmod ws/file; read store/key", ANY, {}),
    "the case says so": ("rw ws", "read store/key: absent", "absent", {}),
    "the case says so after a change": ("rw ws", "chmod ws/file; read store/key: denied", "denied", {}),
}
"""What is asked, to the rules, the probe, what may come of it, and details."""
COMMON = "\n".join(
    (
        *("lib/", "lib/disk/ tmpfs", "lib/disk/two file", "home/copy = store/key", "home/socket socket"),
        *("home/pipe fifo", "home/to-none -> {farm}/ws/none"),
        *("ws/sealed file mode=0444", "ws/unread file mode=0200", "ws/shut/ mode=0555"),
    )
)


@pytest.mark.parametrize("row", ROWS)
def test_a_probe(row: str) -> None:
    rules, probe, wanted, details = ROWS[row]
    farm: Details = {**details, "tree": f"{COMMON}\n{details.get('tree', '')}"}
    assert outcomes(rules, probe, **farm) == wanted


@pytest.mark.parametrize(
    ("probe", "real"),
    (
        ("read home/abs", "store/key"),
        ("write home/abs", "store/key"),
        ("create ws/gone", "ws/none"),
        ("write ws/gone", "ws/none"),
        ("read ws/none", ""),
        ("create ws/new: allowed", "ws/new"),
        ("read ./file", "ws/file"),
        ("read ../store/key", ""),
    ),
)
def test_a_probe_has_its_object(probe: str, real: str) -> None:
    assert expected("rw ws", probe).probes[0].real == (real and inside(real))


def test_after_a_change_no_object_is_known() -> None:
    found = expected("rw ws", "read ws/file: allowed; rename ws/file ws/new; read ws/file: denied; read ws/file")
    assert [allowed.real for allowed in found.probes] == [inside("ws/file"), "", "", ""]


@pytest.mark.parametrize(
    ("rules", "probe", "why"),
    (
        ("rw ws", "read store/key", "reads everything"),
        ("rw ws; deny home/abs", "read store/key", "deny home/abs"),
        ("rw ws; ro ws/none", "create ws/none", "rw ws; a missing ro name may be protected (START-2)"),
        ("deny store; ro store/keys", "read store/keys/one", "ro store/keys"),
        ("rw ws", "read home/none", "reads everything"),
        ("deny home/abs; deny store/key", "read store/key", "deny home/abs"),
        ("ro store/key; deny home/abs", "read store/key", "deny home/abs"),
        ("rw ws; ro ws/none", "create ws/new", "rw ws"),
        ("rw ws; ro ws/none", "read store/key", "reads everything"),
        ("ro ws/sub; ro home/file; ro store/keys", "read store/keys/one", "ro store/keys"),
        ("ro ws/sub; ro home/file; ro store/keys", "read home/file", "ro home/file"),
    ),
)
def test_an_answer_says_why(rules: str, probe: str, why: str) -> None:
    assert expected(rules, probe).probes[0].why == why


def test_an_answer_says_why_under_listed_reads() -> None:
    assert expected("rw ws", "read store/key", **LISTED).probes[0].why == "not listed"


@pytest.mark.parametrize(
    ("rules", "probes", "groups"),
    (
        ("rw ws; ro home/abs", "read home/abs; read store/key", ((0, 1),)),
        ("rw ws; ro home/rel", "read home/rel/one; read ws/file; read store/keys/one", ((0, 2),)),
        ("rw ws; ro home/abs; ro home/rel", "read home/abs; read home/rel/one; read store/key", ((0, 2),)),
        ("rw ws; ro home/abs; ro store/key", "read home/abs; read store/key", ((0, 1),)),
        ("rw ws; ro home/abs", "read home/abs", ()),
        ("rw ws; ro store/key", "read home/abs", ()),
        ("rw ws; ro store", "read home/rel/one; read home/deep/one", ()),
        ("rw ws; ro home/abs; deny store/key", "read home/abs; read store/key", ()),
        ("rw ws; rw home/rel", "read home/rel/one; read store/keys/one", ((0, 1),)),
        ("rw ws; ro home/rel", "read home/rel; read store/keys", ()),
        ("rw ws; deny store; ro home/rel", "read home/rel/one; read store/keys/one", ()),
        ("rw ws", "read home/abs; read store/key", ()),
        ("rw ws; ro home/abs", "write home/abs; write store/key", ()),
        ("rw ws; ro home/abs", "list home/abs; list store/key", ()),
        ("rw ws; ro home/abs", "read home/abs; read store/key; remove ws/file", ()),
    ),
)
def test_a_listed_object_is_reachable_by_one_of_its_spellings(
    rules: str, probes: str, groups: tuple[tuple[int, ...], ...]
) -> None:
    assert expected(rules, probes, **LISTED).one_of == groups
    assert expected(rules, probes).one_of == ()


def test_no_spelling_of_a_fifo_has_to_be_readable() -> None:
    rules, probes = "rw ws; ro to-pipe", "read to-pipe; read pipe"
    assert expected(rules, probes, tree="pipe fifo\nto-pipe -> pipe", reads="listed").one_of == ()
    assert expected(rules, probes, tree="pipe file\nto-pipe -> pipe", reads="listed").one_of == ((0, 1),)


@pytest.mark.parametrize(
    ("rules", "details", "secret"),
    (
        ("deny store/key", {}, {"store/key"}),
        ("deny home/rel", {}, {"store/keys/one"}),
        ("deny store; ro store/keys", {}, {"store/key"}),
        ("deny store/key; rw store/key", {}, {"store/key"}),
        ("deny home/deep/../key", {}, {"store/key"}),
        ("deny home/key/", {}, set()),
        ("deny home/locked/id", {}, {"home/locked/id"}),
        ("ro store", LISTED, {"ws/file", "ws/sub/one", "home/file", "home/key", "home/locked/id"}),
        ("deny store/key", {"tree": "home/copy = store/key"}, set()),
        ("deny store/key; deny home/copy", {"tree": "home/copy = store/key"}, {"store/key"}),
        ("deny store; deny home/two", {"tree": "home/copy = store/key\nhome/two = home/copy"}, {"store/keys/one"}),
        ("deny store", TWICE, set()),
        ("deny store", {**TWICE, **SHOULD}, {"store/key", "store/keys/one"}),
        ("deny store; deny twin", TWICE, {"store/key", "store/keys/one"}),
        (
            "deny store/disk/two",
            {"tree": "store/disk/ tmpfs\nstore/disk/two file\ntwin/ bind store"},
            {"store/disk/two"},
        ),
    ),
)
def test_a_secret_is_denied_by_all_its_names_under_all_readings(rules: str, details: Details, secret: set[str]) -> None:
    assert expected(rules, **details).secret == {inside(path) for path in secret}


def test_a_secret_is_given_once() -> None:
    assert list(secrets(meant("deny store/key; deny home/abs"))) == [inside("store/key")]


@pytest.mark.parametrize(
    ("rules", "writable"),
    (
        ("rw ws/sub", {"ws/sub", "ws/sub/one"}),
        ("rw home/rel", {"store/keys", "store/keys/one"}),
        ("rw ws/sub; ro ws/sub/one", {"ws/sub"}),
        ("rw store/key; ro home/abs", {"store/key"}),
        ("deny store; rw store/key", {"store/key"}),
        ("deny store/key; rw store/key", set()),
    ),
)
def test_what_may_be_written_under_any_reading(rules: str, writable: set[str]) -> None:
    assert expected(rules).writable == {inside(path) for path in writable}


def test_the_farm_itself_may_be_writable() -> None:
    assert FARM in expected("rw .").writable


@pytest.mark.parametrize(
    ("rules", "fixed"),
    (
        ("rw ws; ro ws/sub; deny ws/none; deny ws/gone", {"ws/sub", "ws/none"}),
        ("rw ws; ro ws/none; ro home/abs; deny home/loop", {"store/key"}),
        ("rw ws; ro ws; ro home/key", {"home/key"}),
        ("rw ws; deny ws", {"ws"}),
    ),
)
def test_what_stays_as_it_is(rules: str, fixed: set[str]) -> None:
    assert expected(rules).fixed == {inside(path) for path in fixed}


def test_what_the_case_says_of_the_launch_has_priority() -> None:
    case = asked("rw ws; ro ws/way")
    assert expect(case, FARM).launch == {"ran", "refused"}
    said = type(case)(case.id, "A-1", "t", case.topology, case.policy, launch=frozenset({"refused"}))
    assert expect(said, FARM).launch == {"refused"}


def test_a_farm_may_lie_anywhere() -> None:
    case = asked("deny {farm}/home/abs", "read store/key")
    assert expect(case, "/x").secret == {"/x/store/key"}
    assert Meaning(Tree(case.topology, "/x"), case.policy).named[0].spelling == "/x/home/abs"
