# SPDX-License-Identifier: MIT
"""Ways out of what is writable, in this run or the next (ESC-1 to ESC-4)."""

from __future__ import annotations

import os
import stat

from boxproof.reference.launch import Job, run
from boxproof.reference.mountinfo import Mounts
from boxproof.reference.mounts import pins
from boxproof.reference.paths import parent
from boxproof.reference.plan import Object, Plan, group, make
from boxproof.reference.policyfile import Policy
from boxproof.reference.refuse import unsteady_rule
from boxproof.reference.resolve import Found
from boxproof.reference.view import RO, RW, access_around

from .entry import replaces
from .mask import change_mode


@replaces(group, caught="ESC-1", related=("ESC-4",), mimics="rappdw/sandy#209")
def links_granted(live: list[Found], mounts: Mounts) -> list[Object]:
    """What a link in a writable folder leads to is made writable with it."""
    objects = group(live, mounts)
    known = {name for thing in objects for name in thing.led_to}
    roots = [found.walk.real for found in live if found.access == RW]
    links = [entry.path for root in roots if os.path.isdir(root) for entry in os.scandir(root) if entry.is_symlink()]
    for target in {os.path.realpath(link) for link in links if os.path.exists(link)} - known:
        thing = Object(RW)
        thing.led_to.append(target)
        objects.append(thing)
    return objects


@replaces(run, caught="ESC-2", related=("MASK-7",), mimics="CVE-2026-39861")
def follows_new_links(job: Job, mask: set[int], lifeline: int) -> int:
    """After the run the helper sets the mode of what the command has made, through links that it has made."""
    folder = job.plan.cwd
    before = set(os.listdir(folder))
    status = run(job, mask, lifeline)
    for name in set(os.listdir(folder)) - before:
        if os.path.isfile(os.path.join(folder, name)):
            os.chmod(os.path.join(folder, name), 0o600)
    return status


@replaces(make, caught="ESC-3", mimics="read-only by mode instead of by a mount")
def read_only_by_mode(policy: Policy, mounts: Mounts, tmpdir: bytes) -> Plan:
    """A read-only file in a writable folder loses its write bits, and can be renamed over."""
    plan = make(policy, mounts, tmpdir)
    files = [name for name, kind in plan.view.items() if kind == RO and os.path.isfile(name)]
    for name in [name for name in files if access_around(plan.view, name) == RW]:
        change_mode(name, stat.S_IMODE(os.lstat(name).st_mode) & ~0o222)
        del plan.view[name]
    return plan


@replaces(pins, caught="ESC-3", related=("MASK-7",), mimics="safedep/pmg#446")
def no_pins(_view: dict[bytes, str]) -> set[bytes]:
    """The folder of a protected name can be renamed, and another put in its place."""
    return set()


@replaces(unsteady_rule, caught="ESC-4", mimics="Gitlawb/zero#990")
def follows_writable_link(_found: Found, _view: dict[bytes, str]) -> None:
    """A rule may cross a link that the command can point elsewhere for the next run."""


@replaces(
    make,
    caught="ESC-1",
    related=("START", "BIND", "NEST", "MASK", "ESC-2", "ESC-4", "NAME-1", "NAME-2", "HOST", "PROC", "FALL"),
    mimics="a workspace that is taken for a part of its repository",
)
def parent_granted(policy: Policy, mounts: Mounts, tmpdir: bytes) -> Plan:
    """The folder above the working folder is writable, too."""
    plan = make(policy, mounts, tmpdir)
    plan.view.setdefault(parent(plan.cwd), RW)
    return plan
