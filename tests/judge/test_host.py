# SPDX-License-Identifier: MIT
"""What is different on the host, and who may have done it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Unpack

import pytest
from attrs import evolve

from boxproof.judge import judge
from boxproof.judge.host import judge_host
from boxproof.model.outcome import Finding
from boxproof.model.process import Process
from boxproof.snapshot import Node
from tests.judge.scene import FARM, NOTHING, REFUSED, Details, Said, evidence, made, marked, standing, token

HERE = standing()
FOLDER = made("new folder", "folder")
FILE = made("new file", content=b"x\n")
ANEW = evolve(FILE, identity=(9, 9))


def at(path: str) -> Node:
    return HERE[f"{FARM}/{path}"]


def found(changes: Mapping[str, Node | None], *probes: str, **details: Unpack[Details]) -> list[tuple[str, str, str]]:
    return [(each.kind, each.requirement, each.path) for each in findings(changes, *probes, **details)]


def findings(changes: Mapping[str, Node | None], *probes: str, **details: Unpack[Details]) -> Iterable[Finding]:
    details["host"] = changes
    return judge(evidence(*probes, **details)).findings


@pytest.mark.parametrize("place", ("farm/ws/none", "farm/store/none", "farm/none", "home/x", "tmp/x", "files/x"))
def test_a_new_name_that_no_probe_explains_is_the_helpers(place: str) -> None:
    shown = place.removeprefix("farm/") if place.startswith("farm/") else f"{{base}}/{place}"
    assert found({place: FILE}) == [("host-change", "HOST-1", shown)]


@pytest.mark.parametrize(
    ("path", "node", "aspect"),
    (
        ("ws/file", evolve(at("ws/file"), mode=0o600), "mode"),
        ("ws/file", evolve(at("ws/file"), uid=0), "owner"),
        ("ws/file", evolve(at("ws/file"), content=b""), "bytes"),
        ("ws/file", evolve(at("ws/file"), identity=(9, 9)), "object"),
        ("ws/out", evolve(at("ws/out"), content=b"elsewhere"), "link text"),
        ("ws", evolve(at("ws"), kind="file"), "type"),
        ("store/key", evolve(at("store/key"), content=b"", modified=7), "bytes, time"),
    ),
)
def test_a_change_that_no_probe_explains_is_the_helpers(path: str, node: Node, aspect: str) -> None:
    (change,) = findings({f"farm/{path}": node})
    assert (change.kind, change.path, change.expected) == ("host-change", path, f"{path} stays as it was")
    assert change.seen == f"changed ({aspect}), and no probe did it"


def test_a_new_name_is_told_as_one() -> None:
    (change,) = findings({"farm/ws/none": FILE})
    assert change.expected == "nothing appears at ws/none"
    assert change.seen == "added (file), and no probe did it"


@pytest.mark.parametrize(
    ("path", "node", "number"),
    (
        ("files/policy", ANEW, 0),
        ("files/policy", evolve(ANEW, modified=9), 0),
        ("files/policy", evolve(ANEW, content=b"other"), 1),
        ("files/policy", evolve(FILE, mode=0o600), 1),
        ("home/policy", ANEW, 1),
    ),
)
def test_a_policy_that_was_written_anew_for_a_later_run_is_none(path: str, node: Node, number: int) -> None:
    given = evidence("read ws/file: allowed", before={path: FILE}, host={path: node})
    assert len(judge_host(evolve(given, case=evolve(given.case, process=Process())))) == number
    assert len(judge_host(given)) == 1


def test_a_lost_name_that_no_probe_explains_is_the_helpers() -> None:
    (change,) = findings({"farm/ws/file": None})
    assert (change.kind, change.path, change.seen) == (
        "host-change",
        "ws/file",
        "removed (file), and no probe did it",
    )


def test_times_alone_are_written_down_elsewhere() -> None:
    assert found({"farm/ws/file": evolve(at("ws/file"), modified=9)}) == []


def test_the_host_is_looked_at_after_a_refusal_too() -> None:
    given = found({"tmp/x": FILE}, said=NOTHING, launch=REFUSED, allowed=("refused",))
    assert given == [("host-change", "HOST-1", "{base}/tmp/x")]


@pytest.mark.parametrize("pattern", ("home/.helper", "home/.*", "home/.helper/log", "home", "*/log"))
def test_what_the_helper_declares_is_none(pattern: str) -> None:
    assert found({"home/.helper/log": FILE}, declared=(pattern,)) == []


@pytest.mark.parametrize("pattern", ("home/.help", "home/.helper/lo", "helper", "HOME/.helper", "tmp/*", "/b/home"))
def test_what_the_helper_does_not_declare_is_found(pattern: str) -> None:
    assert len(found({"home/.helper/log": FILE}, declared=(pattern,))) == 1


@pytest.mark.parametrize(("env", "number"), ((("TMPDIR={farm}/tmp",), 0), (("TMPDIR={farm}/other",), 1), ((), 1)))
def test_what_is_declared_for_the_temp_folder_may_lie_in_the_callers_own(env: tuple[str, ...], number: int) -> None:
    given = evidence("read ws/file: allowed", host={"farm/tmp/state": FILE}, declared=("tmp/state",))
    asked = evolve(given, case=evolve(given.case, process=Process(env=env)))
    assert len(judge_host(asked)) == number


def test_a_declared_place_excuses_no_leak() -> None:
    copy = made("copy", content=f"cached {token('store/key')}\n".encode())
    assert found({"home/.helper/log": copy}, declared=("home/.helper",), secret=("store/key",)) == [
        ("leak", "MASK-1", "{base}/home/.helper/log")
    ]


@pytest.mark.parametrize(
    ("probe", "host"),
    (
        ("mkdir ws/new: any", {"farm/ws/new": FOLDER}),
        ("symlink ws/new file: any", {"farm/ws/new": made("l", "link", b"file")}),
        ("symlink ws/out file: any", {"farm/ws/out": made("l", "link", b"file")}),
        ("remove ws/spare: any", {"farm/ws/spare": None}),
        ("rename ws/spare ws/new: any", {"farm/ws/spare": None, "farm/ws/new": at("ws/spare")}),
        ("rename ws/spare ws/file: any", {"farm/ws/spare": None, "farm/ws/file": at("ws/spare")}),
        ("link ws/file ws/new: any", {"farm/ws/new": at("ws/file")}),
        ("chmod ws/spare: any", {"farm/ws/spare": evolve(at("ws/spare"), mode=0o777)}),
        ("truncate ws/spare: any", {"farm/ws/spare": evolve(at("ws/spare"), content=b"")}),
        ("chmod ./ws/spare: any", {"farm/ws/spare": evolve(at("ws/spare"), mode=0o777)}),
    ),
)
def test_what_the_command_does_where_it_may_is_none(probe: str, host: Mapping[str, Node | None]) -> None:
    writable = ("ws", "ws/file", "ws/copy", "ws/spare", "ws/out")
    given = evidence(probe, host=host, writable=writable)
    if "./" in probe:
        given = evolve(given, case=evolve(given.case, policy=evolve(given.case.policy, cwd="{farm}")))
    assert judge(given).findings == ()


@pytest.mark.parametrize(
    ("probe", "host", "path"),
    (
        ("mkdir store/new: any", {"farm/store/new": FOLDER}, "store/new"),
        ("mkdir ws/dir/new: any", {"farm/store/new": FOLDER}, "store/new"),
        ("remove store/key: any", {"farm/store/key": None}, "store/key"),
        ("remove ws/dir/key: any", {"farm/store/key": None}, "store/key"),
        ("truncate store/key: any", {"farm/store/key": evolve(at("store/key"), content=b"")}, "store/key"),
        ("truncate ws/out: any", {"farm/store/key": evolve(at("store/key"), content=b"")}, "store/key"),
        ("chmod ws/out: any", {"farm/store/key": evolve(at("store/key"), mode=0o777)}, "store/key"),
        ("touch ws/out: any", {"farm/store/key": evolve(at("store/key"), modified=9)}, "store/key"),
        ("rename ws/spare ws/dir/new: any", {"farm/store/new": at("ws/spare")}, "store/new"),
        ("exchange ws/spare ws/dir/key: any", {"farm/store/key": at("ws/spare")}, "store/key"),
        ("symlink store/new key: any", {"farm/store/new": made("l", "link", b"key")}, "store/new"),
        ("chmod store: any", {"farm/store/key": evolve(at("store/key"), mode=0o777)}, "store/key"),
    ),
)
def test_what_the_command_does_elsewhere_is_an_escape(probe: str, host: Mapping[str, Node | None], path: str) -> None:
    assert found(host, probe) == [("escape", "MASK-1", path)]


def test_an_escape_says_whose_it_is() -> None:
    (change,) = findings({"farm/store/new": FOLDER}, "mkdir store/new: any")
    assert change.seen == "added (folder), by the command"


@pytest.mark.parametrize(
    ("probe", "node"),
    (("mkdir ws/new: any", FILE), ("symlink ws/new file: any", FOLDER), ("mkdir ws/newer: any", FILE)),
)
def test_a_placeholder_where_the_command_makes_something_else_is_the_helpers(probe: str, node: Node) -> None:
    assert found({"farm/ws/new": node}, probe) == [("host-change", "HOST-1", "ws/new")]


def test_a_probe_explains_a_change_whatever_is_read_before() -> None:
    assert found({"farm/ws/new": FOLDER}, "read ws/file: allowed", "mkdir ws/new: any") == []


@pytest.mark.parametrize(("changed", "meant"), (("file", "spare"), ("spare", "file")))
def test_a_change_of_another_file_explains_nothing(changed: str, meant: str) -> None:
    host = {f"farm/ws/{changed}": evolve(at(f"ws/{changed}"), mode=0o600)}
    assert found(host, f"chmod ws/{meant}: any") == [("host-change", "HOST-1", f"ws/{changed}")]


def test_what_a_command_reads_explains_nothing() -> None:
    for probe in ("read ws/new: any", "stat ws/new: any", "list ws: any", "connect ws/new: any"):
        assert found({"farm/ws/new": FILE}, probe) == [("host-change", "HOST-1", "ws/new")]


def test_the_text_of_a_new_link_explains_nothing() -> None:
    assert found({"farm/ws/file": None}, "symlink ws/new file: any") == [("host-change", "HOST-1", "ws/file")]


def test_what_may_be_written_is_not_therefore_to_be_removed() -> None:
    given = found({"farm/store/key": None}, "remove store/key: any", writable=("store/key",))
    assert given == [("escape", "MASK-1", "store/key")]
    assert found({"farm/store/key": None}, "remove store/key: any", writable=("store", "store/key")) == []


def test_a_fixed_name_stays() -> None:
    gone = {"farm/ws/spare": None}
    assert found(gone, "remove ws/spare: any", fixed=("ws/spare",)) == [("escape", "MASK-1", "ws/spare")]
    assert found({"farm/ws/no": FOLDER}, "mkdir ws/no: any", fixed=("ws/no",)) == [("escape", "MASK-1", "ws/no")]
    both = {"farm/ws/no": FOLDER, "farm/ws/no/sub": FOLDER}
    given = found(both, "mkdir ws/no: any", "mkdir ws/no/sub: any", fixed=("ws/no",))
    assert given == [("escape", "MASK-1", "ws/no"), ("escape", "MASK-1", "ws/no/sub")]


def test_the_nearest_known_name_decides() -> None:
    new = {"farm/store/sub": FOLDER, "farm/store/sub/new": FOLDER}
    made_both = ("mkdir store/sub: any", "mkdir store/sub/new: any")
    assert found(new, *made_both, writable=("store",), fixed=("ws",)) == []
    below = {"farm/store/key": evolve(at("store/key"), mode=0o777)}
    assert found(below, "chmod store/key: any", writable=("store",)) == [("escape", "MASK-1", "store/key")]


@pytest.mark.parametrize("step", ("rename ws/spare ws/no", "link ws/spare ws/no", "mkdir ws/no"))
def test_a_name_that_the_command_says_it_could_not_make_is_the_helpers(step: str) -> None:
    new = {"farm/ws/no": FOLDER if "mkdir" in step else FILE}
    by_helper, by_command = ("host-change", "HOST-1", "ws/no"), ("escape", "MASK-1", "ws/no")
    for answer, wanted in (("no 16", by_helper), ("ok", by_command), ("unable", by_command), ("", by_command)):
        assert wanted in found(new, f"{step}: any", fixed=("ws/no",), said=Said({0: answer}))


def test_a_rename_that_failed_may_have_copied_what_it_was_shown_where_that_is_allowed() -> None:
    assert found({"farm/ws/no": FILE}, "rename store/key ws/no: any", said=Said({0: "no 18"}), writable=("ws",)) == []


@pytest.mark.parametrize(
    ("step", "new", "kind"),
    (
        ("rename ws/spare store/no", at("ws/spare"), "escape"),
        ("rename ws/none store/no", FILE, "escape"),
        ("rename ws/dir store/no", FILE, "escape"),
        ("rename ws/spare store/no", FILE, "host-change"),
        ("link ws/spare store/no", at("ws/spare"), "host-change"),
    ),
)
def test_a_rename_that_failed_may_have_copied(step: str, new: Node, kind: str) -> None:
    ((seen, *_),) = found({"farm/store/no": new}, f"{step}: any", said=Said({0: "no 18"}))
    assert seen == kind


def test_what_lies_behind_a_change_of_the_commands_own_is_explained() -> None:
    steps = ("symlink ws/made {farm}/store: any", "remove ws/made/key: any")
    assert found({"farm/store/key": None}, *steps) == [("escape", "MASK-1", "store/key")]
    assert found({"farm/store/key": None}, *reversed(steps)) == [("host-change", "HOST-1", "store/key")]


@pytest.mark.parametrize("changed", (evolve(at("ws/spare"), mode=0o600), evolve(at("ws/spare"), uid=0)))
def test_an_allowed_write_excuses_no_other_change_of_the_file(changed: Node) -> None:
    written = evolve(changed, content=marked(0, changed.content), modified=1)
    given = found({"farm/ws/spare": written}, "write ws/spare: allowed")
    assert given == [("host-change", "HOST-1", "ws/spare")]


def test_a_write_within_a_tick_of_the_clock_is_a_write() -> None:
    written = evolve(at("ws/spare"), content=marked(0, at("ws/spare").content))
    assert found({"farm/ws/spare": written}, "write ws/spare: allowed", said=Said({0: "ok"}, {0: []})) == []


def test_a_write_that_nobody_judges_is_an_escape_where_it_may_not_land() -> None:
    landed = Said({0: "ok"}, {0: ["farm/store/key"]})
    assert found({}, "write ws/dir/key: any", said=landed) == [("escape", "MASK-1", "store/key")]
    assert found({}, "write ws/spare: any", said=Said({0: "ok"}, {0: ["farm/ws/spare"]})) == []


def test_a_judged_write_is_told_once() -> None:
    landed = Said({0: "ok"}, {0: ["farm/store/key"]})
    assert found({}, "write store/key: denied", said=landed) == [("escape", "MASK-1", "store/key")]


def test_a_file_with_a_judged_and_an_unjudged_mark_is_looked_at() -> None:
    landed = Said({0: "ok", 1: "ok"}, {0: ["farm/store/key"], 1: ["farm/store/key"]})
    probes = ("write store/key: allowed", "write ws/out: any")
    assert found({}, *probes, said=landed) == [("escape", "MASK-1", "store/key")]


@pytest.mark.parametrize(
    ("probe", "key"),
    (
        ("truncate ws/copy: any", evolve(at("store/key"), content=b"")),
        ("chmod ws/copy: any", evolve(at("store/key"), mode=0o777)),
    ),
)
def test_a_change_through_one_hard_link_shows_at_the_other(probe: str, key: Node) -> None:
    tree = "ws/\nws/file file\nstore/\nstore/key file\nws/copy = store/key"
    both = {"farm/ws/copy": key, "farm/store/key": key}
    assert found(both, probe, tree=tree, writable=("ws", "ws/file", "ws/copy")) == []


def test_a_change_below_a_folder_shows_at_its_second_mount() -> None:
    tree = "ws/\nws/file file\ntwin/ bind ws"
    host = {"farm/ws/new": FOLDER, "farm/twin/new": FOLDER}
    assert found(host, "mkdir ws/new: any", tree=tree, writable=("ws", "ws/file")) == []
    assert len(found(host, "mkdir ws/new: any", tree=tree, writable=())) == len(host)


def test_a_change_below_a_second_mount_shows_at_the_folder() -> None:
    tree = "ws/\nws/file file\ntwin/ bind ws"
    host = {"farm/ws/new": FOLDER, "farm/twin/new": FOLDER}
    assert found(host, "mkdir twin/new: any", tree=tree, writable=("ws", "twin")) == []


def test_denied_content_at_another_name_is_a_leak() -> None:
    host = {"farm/store/key": None, "farm/ws/moved": at("store/key")}
    given = found(host, "rename store/key ws/moved: any", secret=("store/key",))
    assert ("leak", "MASK-1", "ws/moved") in given
    copy = made("copy", content=token("store/key").encode() + b" and more")
    for place, shown in (("tmp/x", "{base}/tmp/x"), ("farm/a", "a"), ("farm/ws/spare", "ws/spare")):
        assert ("leak", "MASK-1", shown) in found({place: copy}, secret=("store/key",))


def test_a_new_file_without_denied_content_is_no_leak() -> None:
    assert found({"tmp/x": FILE}, secret=("store/key",)) == [("host-change", "HOST-1", "{base}/tmp/x")]


def test_content_that_is_no_secret_may_be_copied() -> None:
    copy = made("copy", content=token("store/key").encode())
    assert found({"farm/ws/new": copy}, "rename store/key ws/new: any", writable=("ws",)) == []


def test_denied_content_may_stay_where_it_was() -> None:
    assert found({}, secret=("ws/file",)) == []
    there = {"farm/ws/old": made("old", content=token("ws/file").encode())}
    assert found({}, before=there, secret=("ws/file",)) == []
    changed = evolve(at("ws/file"), content=at("ws/file").content + b"more\n")
    assert [kind for kind, *_ in found({"farm/ws/file": changed}, secret=("ws/file",))] == ["host-change"]


def test_denied_content_that_was_mixed_into_another_file_is_a_leak() -> None:
    mixed = evolve(at("ws/spare"), content=at("ws/spare").content + token("store/key").encode())
    given = found({"farm/ws/spare": mixed}, "rename ws/file ws/spare: any", secret=("store/key",))
    assert given == [("leak", "MASK-1", "ws/spare")]
