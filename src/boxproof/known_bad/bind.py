# SPDX-License-Identifier: MIT
"""Rules that act on something other than what their spelling leads to (BIND-1 to BIND-8)."""

from __future__ import annotations

import errno
import os
import re

from boxproof.reference.implied import IMPLIED
from boxproof.reference.mountinfo import Mounts
from boxproof.reference.mounts import skeleton
from boxproof.reference.paths import ROOT, parent
from boxproof.reference.plan import Object, Plan, group, make, stricter
from boxproof.reference.policyfile import Policy
from boxproof.reference.refusal import Refused, shown
from boxproof.reference.refuse import cwd, unsteady_rule
from boxproof.reference.resolve import Found, destination, names_a_file_as_folder
from boxproof.reference.view import DENY, HIDDEN, RO, RW, access, replaceable
from boxproof.reference.walk import Walk, walk

from .entry import replaces

NOISE = re.compile(rb"//|/\.\.?(/|$)")


@replaces(
    destination,
    caught="BIND-1",
    related=("START-2", "BIND", "NEST-1", "MASK-1", "ESC-3"),
    mimics="containers/bubblewrap#390",
)
def literal_destination(found: Found) -> bytes:
    """A grant is mounted at its spelling, which may be a link."""
    return found.walk.real if found.access == DENY else found.walk.spelling


@replaces(destination, caught="BIND-1", related=("BIND", "MASK-1", "MASK-2"), mimics="Naxdy/nix-bwrapper#23")
def one_hop(found: Found) -> bytes:
    """Of a chain of links only the first is followed."""
    name = found.walk.spelling
    if not os.path.islink(name):
        return found.walk.real
    return os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))


@replaces(skeleton, caught="BIND-1", mimics="openai/codex#34530")
def real_name_only(walks: list[Walk], view: dict[bytes, str]) -> list[tuple[bytes, list[bytes]]]:
    """With listed reads an object is shown by its real path and not by the link that the rule names."""
    return skeleton([way for way in walks if way.spelling in IMPLIED or not way.links], view)


@replaces(group, caught="BIND-2", related=("BIND", "NEST-1", "MASK-1", "ESC-3"), mimics="nolabs-ai/nono#272")
def ro_by_link_dropped(live: list[Found], mounts: Mounts) -> list[Object]:
    """A read-only rule that is spelled through a link is taken for one about the link, and has no effect."""
    return group([found for found in live if found.access != RO or not found.walk.links], mounts)


@replaces(group, caught="BIND-3", related=("MASK-1", "MASK-2"), mimics="openai/codex#47429")
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


@replaces(stricter, caught="BIND-4", mimics="a grant that overrides a deny")
def write_beats_deny(one: str, other: str) -> str:
    """Of two rules about one object the one that allows more wins."""
    return min(one, other, key=(RW, RO, DENY).index)


@replaces(
    destination,
    caught="BIND-5",
    related=("START-1", "START-5", "BIND", "MASK-3", "ESC-3", "NAME-1", "NAME-2"),
    mimics="a parent that is bound because bwrap refuses the link itself",
)
def parent_bound(found: Found) -> bytes:
    """For a grant of a file its whole folder is bound."""
    real = found.walk.real
    return real if found.access == DENY or found.walk.is_folder else parent(real)


@replaces(cwd, caught="BIND-6", related=("MASK-1",), mimics="flatpak/flatpak#493")
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


@replaces(make, caught="BIND-8", mimics="a bind whose read-only flag does not reach the mounts below it")
def submounts_writable(policy: Policy, mounts: Mounts, tmpdir: bytes) -> Plan:
    """A mount below a read-only folder keeps the access that it has on the host."""
    plan = make(policy, mounts, tmpdir)
    folders = [path for path, kind in plan.view.items() if kind == RO and path != ROOT]
    plan.view.update((point, RW) for folder in folders for point in mounts.below(folder))
    return plan


@replaces(cwd, caught="BIND-6", mimics="a working folder that is made when it is missing")
def cwd_created(way: Walk, view: dict[bytes, str]) -> None:
    """A working folder that does not exist is made on the host."""
    if way.error == errno.ENOENT:
        os.makedirs(os.path.realpath(way.spelling), exist_ok=True)
    cwd(way, view)


@replaces(cwd, caught="BIND-6", mimics="a working folder that is shown whatever the policy says")
def cwd_granted(way: Walk, view: dict[bytes, str]) -> None:
    """A working folder that the policy denies or does not show is readable all the same."""
    if way.is_folder and not way.error and access(view, way.real) in (DENY, HIDDEN):
        view[way.real] = RO
    cwd(way, view)


@replaces(cwd, caught="BIND-6", mimics="a working folder that is opened before anything is checked")
def panics_at_bad_cwd(way: Walk, view: dict[bytes, str]) -> None:
    """A working folder that is none crashes the helper."""
    if way.error or not way.is_folder:
        os.abort()
    cwd(way, view)


@replaces(unsteady_rule, caught="BIND-1", related=("MASK-5", "ESC-4"), mimics="openai/codex#20716")
def panics_at_rewritable_link(found: Found, view: dict[bytes, str]) -> None:
    """A rule that crosses a link which the command can rewrite crashes the helper."""
    if any(replaceable(view, link) for link, _ in found.walk.links):
        os.abort()
    unsteady_rule(found, view)


@replaces(group, caught="BIND-7", mimics="paths that are compared as text")
def noisy_deny_dropped(live: list[Found], mounts: Mounts) -> list[Object]:
    """A deny whose spelling holds `//`, `/./` or `/../` has no effect."""
    return group([found for found in live if found.access != DENY or not NOISE.search(found.walk.spelling)], mounts)


@replaces(names_a_file_as_folder, caught="BIND-7", mimics="a deny that ends in a slash")
def slash_after_file_dropped(_way: Walk) -> bool:
    """A deny of a file that is spelled with a slash at its end has no effect."""
    return False
