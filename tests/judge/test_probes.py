# SPDX-License-Identifier: MIT
"""What the probe saw against what it may see: by bytes."""

from __future__ import annotations

from typing import Unpack

import pytest
from attrs import evolve

from boxproof.grounds.launch import Launch
from boxproof.judge import judge
from boxproof.model.outcome import Finding, Verdict
from tests.judge.scene import CANARY, NOTHING, RAN, REFUSED, Details, Said, evidence, made, marked, token

KEY = token("store/key")
DENIED = "denied|absent"


def kinds(*probes: str, **details: Unpack[Details]) -> list[tuple[str, str]]:
    """Return kind and path of each finding."""
    return [(found.kind, found.path) for found in findings(*probes, **details)]


def findings(*probes: str, **details: Unpack[Details]) -> tuple[Finding, ...]:
    judgement = judge(evidence(*probes, **details))
    assert judgement.verdict is (Verdict.FAIL if judgement.findings else Verdict.PASS)
    return judgement.findings


@pytest.mark.parametrize("answer", ("no 13", "no 2", "no absent", "no folder", "unable", "ok"))
@pytest.mark.parametrize("outcomes", (DENIED, "denied", "absent", "allowed|denied|absent", "any"))
def test_a_read_that_gives_nothing_is_denied_whatever_the_errno(answer: str, outcomes: str) -> None:
    assert kinds(f"read store/key: {outcomes}", said=Said({0: answer})) == []


@pytest.mark.parametrize("answer", ("no 13", "no 2", "unable", "ok"))
def test_an_allowed_read_that_gives_nothing_is_overblock(answer: str) -> None:
    assert kinds("read ws/file: allowed", said=Said({0: answer})) == [("overblock", "ws/file")]


@pytest.mark.parametrize(
    ("answer", "words"),
    (("no 13", "denied 13"), ("no", "denied"), ("ok", "empty"), ("unable", "denied")),
)
def test_an_overblock_says_what_came(answer: str, words: str) -> None:
    (found,) = findings("read ws/file: allowed", said=Said({0: answer}))
    assert (found.seen, found.expected) == (words, "read ws/file: allowed")


@pytest.mark.parametrize("probe", ("write ws/file", "create ws/new"))
def test_a_write_that_the_helper_swallows_is_overblock(probe: str) -> None:
    (found,) = findings(f"{probe}: allowed", said=Said({0: "ok"}))
    assert (found.kind, found.seen) == ("overblock", "it succeeded inside, and the host does not show it")


@pytest.mark.parametrize("outcomes", ("allowed", "allowed|denied|absent"))
def test_a_read_of_the_right_content_passes(outcomes: str) -> None:
    assert kinds(f"read store/key: {outcomes}", said=Said({0: f"ok {KEY}"})) == []


def test_a_denied_read_that_gives_the_content_is_a_leak() -> None:
    for secret in ((), ("store/key",)):
        assert kinds(f"read store/key: {DENIED}", said=Said({0: f"ok {KEY}"}), secret=secret) == [("leak", "store/key")]


def test_a_leak_says_by_what_and_why() -> None:
    given = evidence(f"read ws/out: {DENIED}", said=Said({0: f"ok {KEY}"}))
    (may,) = given.expectation.probes
    given = evolve(given, expectation=evolve(given.expectation, probes=(evolve(may, why="deny store/key"),)))
    (found,) = judge(given).findings
    assert found.expected == "read ws/out: absent or denied (deny store/key)"
    assert found.seen == "read the content of store/key"
    assert (found.path, found.requirement) == ("store/key", "MASK-1")


@pytest.mark.parametrize("outcomes", ("allowed", "allowed|denied|absent"))
@pytest.mark.parametrize("content", (token("store/other"), "something"))
def test_an_allowed_read_of_something_else_is_the_wrong_object(outcomes: str, content: str) -> None:
    (found,) = findings(f"read ws/file: {outcomes}", said=Said({0: f"ok {content}"}))
    assert found.kind == "wrong-object"


def test_a_read_of_a_secret_in_the_place_of_something_allowed_is_a_leak() -> None:
    asked = "read ws/file: allowed"
    assert kinds(asked, said=Said({0: f"ok {KEY}"}), secret=("store/key",)) == [("leak", "store/key")]


def test_a_denied_read_of_another_open_object_is_the_wrong_object() -> None:
    said = Said({0: f"ok {token('ws/file')}"})
    assert kinds(f"read store/key: {DENIED}", said=said) == [("wrong-object", "ws/file")]


def test_a_denied_read_of_bytes_that_are_not_the_files_is_none() -> None:
    """Denied is about the content: what a helper shows in its place is free."""
    for mask in ("masked", "!"):
        assert kinds(f"read store/key: {DENIED}", said=Said({0: f"ok {mask}"})) == []


def test_a_denied_read_that_gives_the_same_as_without_the_helper_is_a_leak() -> None:
    given = evidence("read /proc/version: denied", said=Said({0: "ok Linux"}), control=Said({0: "ok Linux"}))
    assert [(found.kind, found.seen) for found in judge(given).findings] == [("leak", "read its content")]


def test_a_hard_link_shows_the_same_object() -> None:
    assert kinds("read ws/copy: allowed", said=Said({0: f"ok {token('ws/file')}"})) == []
    assert kinds("read ws/spare: allowed", said=Said({0: f"ok {token('ws/file')}"})) == [("wrong-object", "ws/file")]


def test_what_has_no_object_may_be_read_as_it_is() -> None:
    assert kinds("read /etc/hostname: allowed", said=Said({0: "ok here"})) == []
    assert kinds("read /etc/hostname: allowed", said=Said({0: f"ok {token('ws/file')}"})) == []


def test_a_secret_that_any_probe_shows_is_a_leak_once() -> None:
    for asked in ("read ws/file: any", "read /etc/motd: allowed", "list ws: any"):
        given = kinds(asked, said=Said({0: f"ok {KEY}"}), secret=("store/key",))
        assert given == [("leak", "store/key")], asked
    both = kinds(f"read store/key: {DENIED}", "read ws/out: any", said=Said({1: f"ok {KEY}"}), secret=("store/key",))
    assert both == [("leak", "store/key")]
    both = kinds(f"read store/key: {DENIED}", said=Said({0: f"ok {KEY}"}, extra=KEY.encode()), secret=("store/key",))
    assert both == [("leak", "store/key")]


def test_a_secret_names_the_probes_that_showed_it() -> None:
    said = Said({0: f"ok {KEY}", 1: "ok !", 2: "ok ~"})
    (found,) = findings("read ws/file: any", "list ws: any", "list store: any", said=said, secret=("store/key",))
    assert (found.expected, found.seen) == ("nothing shows the content of store/key", "shown by `read ws/file`")


@pytest.mark.parametrize(
    ("asked", "kind"), ((f"write store/key: {DENIED}", "escape"), ("write ws/file: allowed", "wrong-object"))
)
def test_a_secret_that_was_written_and_shown_is_both(asked: str, kind: str) -> None:
    said = Said({0: "ok"}, {0: ["farm/store/key"]}, extra=KEY.encode())
    assert sorted(kinds(asked, said=said, secret=("store/key",))) == sorted(
        [(kind, "store/key"), ("leak", "store/key")]
    )


def test_a_secret_elsewhere_on_stdout_is_a_leak() -> None:
    said = Said(extra=f"helper: {KEY}?".encode())
    (found,) = findings("read ws/file: allowed", said=said, secret=("store/key",))
    assert (found.kind, found.seen) == ("leak", "shown by the output of the helper")
    assert kinds("read ws/file: allowed", said=said) == []


def test_a_secret_on_stderr_is_a_leak() -> None:
    launch = evolve(RAN, stderr=f"helper: cannot parse {KEY}".encode())
    assert kinds("read ws/file: allowed", launch=launch, secret=("store/key",)) == [("leak", "store/key")]


def test_content_that_is_no_secret_may_come_out_anywhere() -> None:
    assert kinds("read ws/file: any", said=Said({0: f"ok {KEY}"})) == []


@pytest.mark.parametrize("operation", ("write", "create"))
def test_a_denied_write_that_lands_is_an_escape(operation: str) -> None:
    said = Said({0: "no 13"}, {0: ["farm/store/new"]})
    assert kinds(f"{operation} store/new: {DENIED}", said=said) == [("escape", "store/new")]


def test_a_denied_write_that_claims_to_have_succeeded_is_none() -> None:
    assert kinds(f"write store/key: {DENIED}", said=Said({0: "ok"})) == []


def test_a_write_that_lands_elsewhere_is_found() -> None:
    elsewhere = Said({0: "ok"}, {0: ["farm/store/key"]})
    assert kinds("write ws/file: allowed", said=elsewhere) == [("wrong-object", "store/key")]
    assert kinds(f"write ws/out: {DENIED}", said=elsewhere) == [("escape", "store/key")]


def test_a_write_that_lands_elsewhere_too_is_found() -> None:
    both = Said({0: "ok"}, {0: ["farm/ws/spare", "home/stale"]})
    assert [kind for kind, _ in kinds("write ws/spare: allowed", said=both)] == ["wrong-object"]


def test_a_write_that_shows_at_the_other_names_of_its_object_passes() -> None:
    assert kinds("write ws/copy: allowed", said=Said({0: "ok"}, {0: ["farm/ws/file"]})) == []
    assert kinds("create ws/new: allowed") == []


def test_a_write_that_may_be_denied_may_also_land() -> None:
    either = "write ws/file: allowed|denied|absent"
    assert kinds(either) == []
    assert kinds(either, said=Said({0: "ok"}, {0: ["farm/ws/file"]})) == []


def test_an_allowed_write_without_a_known_object_may_land_where_it_may() -> None:
    said = Said({0: "ok"}, {0: ["farm/ws/new"]})
    assert kinds("create ws/new: allowed", said=said, reals={0: ""}) == []
    elsewhere = Said({0: "ok"}, {0: ["farm/store/key"]})
    assert kinds("write ws/new: allowed", said=elsewhere, reals={0: ""}) == [("wrong-object", "store/key")]


def test_a_new_file_that_a_later_probe_removes_is_no_overblock() -> None:
    said = Said({0: "ok", 1: "ok"}, {0: []})
    assert kinds("create ws/new: allowed", "remove ws/new: any", said=said) == []


def test_a_later_probe_may_be_the_next_or_any_after_it() -> None:
    first = ("read ws/file: allowed", "read ws/file: allowed")
    for between in ((), first):
        probes = (*first, "create ws/new: allowed", *between, "remove ws/new: any")
        assert kinds(*probes, said=Said({2: "ok"}, {2: []})) == []


def test_a_probe_that_removed_something_before_explains_no_lost_write() -> None:
    said = Said({0: "ok", 1: "ok", 2: "ok"}, {1: [], 2: []})
    probes = ("remove ws/file: any", "create ws/new: allowed", "create ws/other: allowed")
    assert [kind for kind, _ in kinds(*probes, said=said)] == ["overblock", "overblock"]


def test_a_probe_that_removes_explains_no_lost_write_of_its_own() -> None:
    said = Said({0: "ok", 1: "ok"}, {0: [], 1: []})
    assert [kind for kind, _ in kinds("create ws/a: allowed", "create ws/b: allowed", said=said)] == ["overblock"] * 2


def test_a_written_canary_means_that_nothing_is_confined_and_comes_first() -> None:
    said = Said({0: f"ok {KEY}", 1: "ok"}, {1: ["outside/canary"]})
    given = kinds(f"read store/key: {DENIED}", CANARY, said=said)
    assert given == [("unsandboxed", "{base}/outside/canary"), ("leak", "store/key")]


def test_what_is_to_be_told_in_private_comes_before_the_rest() -> None:
    said = Said({0: f"ok {token('store/other')}", 1: f"ok {KEY}"})
    given = kinds("read ws/file: allowed", f"read store/key: {DENIED}", said=said)
    assert given == [("leak", "store/key"), ("wrong-object", "store/other")]


@pytest.mark.parametrize("operation", ("remove", "mkdir", "chmod", "truncate"))
def test_a_denied_change_that_succeeded_is_an_escape(operation: str) -> None:
    assert kinds(f"{operation} store/key: denied", said=Said({0: "ok"})) == [("escape", "store/key")]
    assert kinds(f"{operation} store/key: denied", said=Said({0: "no 1"})) == []
    assert kinds(f"{operation} store/key: allowed|denied", said=Said({0: "ok"})) == []


@pytest.mark.parametrize("operation", ("connect", "exec", "list", "stat", "touch"))
def test_any_other_denied_success_is_a_leak(operation: str) -> None:
    assert kinds(f"{operation} store/key: denied", said=Said({0: "ok"})) == [("leak", "store/key")]
    assert kinds(f"{operation} store/key: denied", said=Said({0: "no 1"})) == []


def test_a_group_needs_one_of_its_spellings() -> None:
    either = ("read store/key: allowed|denied|absent", "read ws/out: allowed|denied|absent")
    assert kinds(*either, one_of=((0, 1),), said=Said({0: f"ok {KEY}"})) == []
    assert kinds(*either, one_of=((0, 1),), said=Said({1: f"ok {KEY}"})) == []
    (found,) = findings(*either, one_of=((0, 1),))
    assert (found.kind, found.path, found.seen) == ("overblock", "store/key", "none of store/key, ws/out is")


def test_each_group_counts() -> None:
    either = ("read store/key: allowed|denied", "read store/other: allowed|denied", "read ws/out: allowed|denied")
    given = kinds(*either, one_of=((0, 2), (1,)), said=Said({2: f"ok {KEY}"}))
    assert given == [("overblock", "store/other")]


@pytest.mark.parametrize("end", (RAN, evolve(RAN, status=None, signal=11), evolve(RAN, timed_out=True)))
def test_a_launch_that_is_cut_short_does_not_hide_what_it_showed(end: Launch) -> None:
    said = Said({0: f"ok {KEY}", 1: ""}, finished=False)
    given = kinds(f"read store/key: {DENIED}", "read ws/file: allowed", said=said, launch=end)
    assert ("leak", "store/key") in given
    assert "overblock" not in dict(given)


def test_a_refusal_after_which_the_command_ran_all_the_same_is_found() -> None:
    for place, outcomes in (("store/key", DENIED), ("ws/file", "allowed")):
        said = evolve(NOTHING, landed={0: [f"farm/{place}"]})
        given = kinds(f"write {place}: {outcomes}", said=said, launch=REFUSED, allowed=("ran", "refused"))
        assert given != [], place


def test_a_refusal_is_not_asked_for_the_answers_of_the_probe() -> None:
    assert kinds("read ws/file: allowed", said=NOTHING, launch=REFUSED, allowed=("refused",), one_of=((0,),)) == []


def test_a_mark_of_another_launch_is_not_this_ones() -> None:
    other = made("other", content=marked(0, mark="m1"))
    assert kinds(f"write store/key: {DENIED}", host={"tmp/x": other}) == [("host-change", "{base}/tmp/x")]


def test_nothing_is_judged_by_what_the_helper_says() -> None:
    for text in (b"Operation not permitted", b"bwrap: Can't find source path", b"fatal: escape"):
        assert kinds(f"read store/key: {DENIED}", launch=evolve(RAN, stderr=text)) == []
