# SPDX-License-Identifier: MIT
"""Denied objects that stay in reach, or that keep the command from starting (MASK-1 to MASK-3, MASK-5 to MASK-9)."""

from __future__ import annotations

import atexit
import contextlib
import os
import stat

from boxproof.reference.kernelfolders import check as kernel_check
from boxproof.reference.mountinfo import Mounts
from boxproof.reference.mounts import needs_mount
from boxproof.reference.paths import ROOT, at_or_below
from boxproof.reference.plan import Object, Plan, check, group, lay_out, make
from boxproof.reference.policyfile import Policy
from boxproof.reference.refuse import whole_root
from boxproof.reference.resolve import Found
from boxproof.reference.view import DENY, RO, RW, replaceable

from .entry import replaces


def change_mode(path: bytes, mode: int) -> None:
    """Give a file another mode until this process ends."""
    atexit.register(set_mode, path, stat.S_IMODE(os.lstat(path).st_mode))
    set_mode(path, mode)


def set_mode(path: bytes, mode: int) -> None:
    """Give a file a mode, if it is still there."""
    with contextlib.suppress(FileNotFoundError):
        os.chmod(path, mode)


@replaces(group, caught="MASK-1", related=("BIND", "NEST-1", "MASK-2", "MASK-8"), mimics="nolabs-ai/nono#272")
def deny_by_link_dropped(live: list[Found], mounts: Mounts) -> list[Object]:
    """A deny that is spelled through a link hides the link and not what it leads to."""
    return group([found for found in live if found.access != DENY or not found.walk.links], mounts)


@replaces(group, caught="MASK-1", related=("BIND-4", "NEST-1"), mimics="deepcoldy/botmux#605")
def deny_lost_under_alias(live: list[Found], mounts: Mounts) -> list[Object]:
    """A deny inside a writable folder is lost where the two are spelled by different names of that folder."""
    roots = [found.walk for found in live if found.access == RW]

    def lost(found: Found) -> bool:
        inside = [root for root in roots if at_or_below(found.walk.real, root.real)]
        return bool(inside) and not any(at_or_below(found.walk.spelling, root.spelling) for root in inside)

    return group([found for found in live if found.access != DENY or not lost(found)], mounts)


@replaces(group, caught="MASK-2", mimics="openai/codex#52658")
def mask_per_spelling(live: list[Found], mounts: Mounts) -> list[Object]:
    """A denied object is masked once for each of its spellings, also where one mask lies on the other."""
    objects = group(live, mounts)
    for thing in objects:
        spellings = {found.walk.spelling for found in live if found.walk.real in thing.led_to}
        if thing.access == DENY and len(spellings) > 1:
            thing.led_to += sorted(spellings - {*thing.led_to})
    return objects


@replaces(Mounts.identity, caught="MASK-3", related=("MASK-9",), mimics="openclaw/openclaw#26051")
def dedupe_by_inode(_mounts: Mounts, path: bytes) -> tuple[bytes, bytes]:
    """Two names of one file are taken for one object, so that a rule on one is a rule on the other."""
    status = os.lstat(path)
    return b"%d" % status.st_dev, b"%d" % status.st_ino


@replaces(check, caught="MASK-5", related=("BIND-1", "ESC-4"), mimics="Gitlawb/zero#990")
def drops_what_is_unsteady(live: list[Found], view: dict[bytes, str]) -> None:
    """A rule that crosses a link which the command can rewrite is dropped and not refused."""
    whole_root(view)
    for found in live:
        if any(replaceable(view, link) for link, _ in found.walk.links):
            view.pop(found.walk.real, None)


@replaces(
    lay_out,
    caught="MASK-6",
    related=("START-1", "BIND", "NEST-1", "NEST-2", "MASK", "HOST"),
    mimics="masks that are for files alone",
)
def folder_not_masked(base: dict[bytes, str], objects: list[Object]) -> dict[bytes, str]:
    """A denied file is masked, a denied folder is not."""
    view = lay_out(base, objects)
    return {name: kind for name, kind in view.items() if kind != DENY or not os.path.isdir(name)}


@replaces(
    lay_out,
    caught="MASK-6",
    related=("BIND-4", "BIND-8", "NEST-1", "NEST-2", "MASK-1", "MASK-2"),
    mimics="a mask for each file that the folder held when it was listed",
)
def folder_masked_one_level(base: dict[bytes, str], objects: list[Object]) -> dict[bytes, str]:
    """Of a denied folder only the files are masked that lie directly in it."""
    view = lay_out(base, objects)
    for folder in [name for name, kind in view.items() if kind == DENY and os.path.isdir(name)]:
        del view[folder]
        view.update((entry.path, DENY) for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False))
    return view


@replaces(make, caught="MASK-7", related=("MASK-3", "ESC-4", "HOST"), mimics="hiding by mode instead of by a mount")
def hidden_by_mode(policy: Policy, mounts: Mounts, tmpdir: bytes) -> Plan:
    """A denied file is made unreadable on the host for as long as the command runs."""
    plan = make(policy, mounts, tmpdir)
    denied = {name for name, kind in plan.view.items() if kind == DENY}
    for name in denied - plan.denied_folders - plan.reserved.keys():
        change_mode(name, 0)
        del plan.view[name]
    return plan


@replaces(needs_mount, caught="MASK-8", mimics="nolabs-ai/nono#781")
def socket_not_masked(view: dict[bytes, str], path: bytes) -> bool:
    """A denied socket can still be connected to."""
    return needs_mount(view, path) and not (view[path] == DENY and stat.S_ISSOCK(os.lstat(path).st_mode))


@replaces(whole_root, caught="MASK-8", mimics="a deny that cannot be enforced and is dropped")
def root_deny_dropped(view: dict[bytes, str]) -> None:
    """A deny of the root is dropped."""
    if view[ROOT] == DENY:
        view[ROOT] = RO


@replaces(Mounts.names, caught="MASK-9", mimics="homes that are bind mounts")
def second_mount_forgotten(_mounts: Mounts, path: bytes) -> list[bytes]:
    """A denied or read-only folder stays as it is where it is mounted a second time."""
    return [path]


@replaces(
    group,
    caught="MASK-1",
    related=("START", "BIND", "NEST-1", "NEST-2", "MASK", "ESC-4", "NAME-1", "NAME-2", "HOST"),
    mimics="a deny that is taken for a read-only rule",
)
def deny_is_ro(live: list[Found], mounts: Mounts) -> list[Object]:
    """What is denied can be read."""
    objects = group(live, mounts)
    for thing in objects:
        thing.access = RO if thing.access == DENY else thing.access
    return objects


@replaces(kernel_check, caught="MASK-8", mimics="a deny that cannot be enforced and is dropped")
def proc_deny_dropped(found: Found) -> None:
    """A deny of an entry of /proc is dropped."""
    if found.access == DENY and at_or_below(found.walk.real, b"/proc"):
        found.access = RO
    kernel_check(found)
