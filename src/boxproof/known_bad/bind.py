# SPDX-License-Identifier: MIT
"""Rules that act on something other than what their spelling leads to (BIND-1 to BIND-8)."""

from __future__ import annotations

import os

from boxproof.reference import mountinfo
from boxproof.reference.implied import IMPLIED
from boxproof.reference.mountinfo import Mounts
from boxproof.reference.mounts import arguments, mount, skeleton
from boxproof.reference.paths import parent
from boxproof.reference.plan import Object, Plan, group, make, stricter
from boxproof.reference.policyfile import Policy, Rule
from boxproof.reference.refusal import Refused, shown
from boxproof.reference.refuse import cwd
from boxproof.reference.resolve import Found, resolve
from boxproof.reference.view import DENY, RO, RW
from boxproof.reference.walk import Walk, walk

from .entry import replaces


@replaces(resolve, caught="BIND-1", related=("BIND-2",), mimics="containers/bubblewrap#390")
def literal_destination(rule: Rule) -> Found:
    """A grant is mounted at its spelling, which may be a link."""
    found = resolve(rule)
    if found.access != DENY and not found.walk.error and found.walk.links:
        found.walk.real = rule.path
    return found


@replaces(resolve, caught="BIND-1", mimics="Naxdy/nix-bwrapper#23")
def one_hop(rule: Rule) -> Found:
    """Of a chain of links only the first is followed."""
    found = resolve(rule)
    if found.walk.links and os.path.islink(rule.path):
        target = os.path.join(os.path.dirname(rule.path), os.readlink(rule.path))
        found.walk.real = os.path.normpath(target)
    return found


@replaces(skeleton, caught="BIND-1", mimics="openai/codex#34530")
def real_name_only(walks: list[Walk], view: dict[bytes, str]) -> list[tuple[bytes, list[bytes]]]:
    """With listed reads an object is shown by its real path and not by the link that the rule names."""
    return skeleton([way for way in walks if way.spelling in IMPLIED or not way.links], view)


@replaces(group, caught="BIND-2", mimics="nolabs-ai/nono#272")
def ro_by_link_dropped(live: list[Found], mounts: Mounts) -> list[Object]:
    """A read-only rule that is spelled through a link is taken for one about the link, and has no effect."""
    return group([found for found in live if found.access != RO or not found.walk.links], mounts)


@replaces(group, caught="BIND-3", mimics="openai/codex#47429")
def second_spelling_refused(live: list[Found], mounts: Mounts) -> list[Object]:
    """A second rule about one object is refused as a conflict, although both say the same."""
    seen: set[bytes] = set()
    for found in live:
        if found.walk.real in seen:
            raise Refused(shown(found.walk.spelling), "named before", "name it once")
        seen.add(found.walk.real)
    return group(live, mounts)


@replaces(stricter, caught="BIND-4", mimics="rules in the order of the list")
def first_rule_wins(one: str, _other: str) -> str:
    """Of two rules about one object the first in the list wins."""
    return one


@replaces(stricter, caught="BIND-4", mimics="mounts in the order of the list, as with a bare bwrap")
def last_rule_wins(_one: str, other: str) -> str:
    """Of two rules about one object the last in the list wins."""
    return other


@replaces(stricter, caught="BIND-4", mimics="openai/codex#43516")
def write_beats_deny(one: str, other: str) -> str:
    """Of two rules about one object the one that allows more wins."""
    return min(one, other, key=(RW, RO, DENY).index)


@replaces(resolve, caught="BIND-5", mimics="a parent that is bound because bwrap refuses the link itself")
def parent_bound(rule: Rule) -> Found:
    """For a grant of a file its whole folder is bound."""
    found = resolve(rule)
    if found.access != DENY and not found.walk.error and not found.walk.is_folder:
        found.walk.real = parent(found.walk.real)
    return found


@replaces(cwd, caught="BIND-6", mimics="flatpak/flatpak#493")
def cwd_link_refused(way: Walk, view: dict[bytes, str]) -> None:
    """A working folder that is reached through a link is refused."""
    if way.links:
        raise Refused(shown(way.spelling), "crosses a link", "name the real folder")
    cwd(way, view)


@replaces(make, caught="BIND-6", mimics="apptainer/apptainer#547")
def cwd_ignored(policy: Policy, mounts: Mounts, tmpdir: bytes) -> Plan:
    """The command starts in the root whatever the policy says."""
    plan = make(policy, mounts, tmpdir)
    plan.cwd = b"/"
    return plan


@replaces(walk, caught="BIND-7", mimics="paths that are normalised as text")
def lexical_dotdot(spelling: bytes) -> Walk:
    """A `..` takes the name before it away as text, be that a link or missing."""
    slash = b"/" if spelling.endswith((b"/", b"/.")) else b""
    return walk(os.path.normpath(b"/" + spelling.lstrip(b"/")) + slash)


@replaces(arguments, caught="BIND-8", mimics="a bind whose read-only flag does not reach the mounts below it")
def submounts_writable(plan: Plan) -> list[bytes]:
    """A mount below a read-only folder keeps the access that it has on the host."""
    table = mountinfo.read()
    points = [point for path, kind in plan.view.items() if kind == RO and path != b"/" for point in table.below(path)]
    return [*arguments(plan), *(word for point in points for word in mount(RW, point, folder=True))]
