# SPDX-License-Identifier: MIT
"""From a policy to what the command will see: resolve, drop, group, rank, lay out, refuse.

The steps look at the host (walks and the mount table); nothing here changes anything.
"""

from __future__ import annotations

import stat

from . import implied, kernelfolders, refuse, temp
from .held import Held
from .missing import IGNORE, RESERVE, fate
from .mountinfo import Mounts
from .paths import ROOT, join
from .policyfile import Policy
from .refusal import Refused, shown
from .resolve import Found, blocked_but_writable, destination, leads_somewhere, resolve, rule_for_blocked_folder
from .view import DENY, DEV, HIDDEN, PROC, RO, RW, SHOWS_HOST, access, outermost
from .walk import Walk, walk


class Object:
    """One object of the host: the canonical paths that rules led to, every visible name of it, and one access."""

    __slots__ = ("access", "led_to", "names")

    def __init__(self, access: str) -> None:
        self.access = access
        self.led_to: list[bytes] = []
        self.names: list[bytes] = []


class Plan:
    """What the command will see.

    Attributes:
        view: the access of every path, by its nearest entry.
        walks: the walks whose links and folders the spellings of the rules need.
        cwd: canonical path of the working folder.
        reserved: denied names that do not exist and must not come into being, each with the folder that is there.
        denied_folders: those denied entries of the view that are folders.
        held: the host's object at each path that the view names, at the cwd and at folders of reserved names.
    """

    __slots__ = ("cwd", "denied_folders", "held", "reserved", "view", "walks")

    def __init__(self, view: dict[bytes, str], walks: list[Walk], cwd: bytes) -> None:
        self.view = view
        self.walks = walks
        self.cwd = cwd
        self.reserved: dict[bytes, bytes] = {}
        self.denied_folders: set[bytes] = set()
        self.held: dict[bytes, Held] = {}


def make(policy: Policy, mounts: Mounts, tmpdir: bytes) -> Plan:
    """The plan for `policy` on this host; `tmpdir` is the value of $TMPDIR, or empty.

    Raises:
        Refused: the policy asks for something that cannot be enforced.
    """
    rules = [resolve(rule) for rule in policy.rules]
    for found in rules:
        kernelfolders.check(found)
    live = [found for found in rules if leads_somewhere(found) and not kernelfolders.satisfied(found)]
    ruled = [found.walk.real for found in live]
    system = implied.walks(ruled) if policy.reads == "listed" else []
    base = foundation(policy, system, temp.private_folders(tmpdir, ruled) if policy.tmp == "writable" else {})
    view = lay_out(base, group(live, mounts))
    blocked = [rule_for_blocked_folder(found) for found in rules if blocked_but_writable(found, view)]
    if blocked:
        live += blocked
        view = lay_out(base, group(live, mounts))
    check(live, view)
    cwd = walk(policy.cwd)
    refuse.cwd(cwd, view)
    plan = Plan(view, [*system, *(found.walk for found in live if found.access != DENY), cwd], cwd.real)
    deny_missing(plan, [found.walk for found in rules if found.walk.error and found.access == DENY], mounts)
    hold(plan, [*(found.walk for found in live), *system, cwd])
    plan.denied_folders = {
        name for name, thing in plan.held.items() if plan.view.get(name) == DENY and stat.S_ISDIR(thing.mode)
    }
    return plan


def foundation(policy: Policy, system: list[Walk], private: dict[bytes, str]) -> dict[bytes, str]:
    """The view before the first rule: the root, implied folders, temp folders, and the new /proc and /dev."""
    base = {ROOT: RO if policy.reads == "everything" else HIDDEN}
    base.update((way.real, RO) for way in system)
    base.update(private)
    base.update({b"/proc": PROC, b"/dev": DEV})
    return base


def group(live: list[Found], mounts: Mounts) -> list[Object]:
    """One object for all spellings of it (BIND-3, MASK-2), known by its place in its file system (MASK-3, MASK-9)."""
    objects: dict[tuple[bytes, bytes], Object] = {}
    for found in live:
        real = destination(found)
        thing = objects.setdefault(mounts.identity(real), Object(found.access))
        thing.access = stricter(thing.access, found.access)
        if real not in thing.led_to:
            thing.led_to.append(real)
            thing.names += mounts.names(real)
    return list(objects.values())


def stricter(one: str, other: str) -> str:
    """The access of an object that two rules name: deny over ro over rw, whatever their order (BIND-4)."""
    return min(one, other, key=(DENY, RO, RW).index)


def lay_out(base: dict[bytes, str], objects: list[Object]) -> dict[bytes, str]:
    """The view that `objects` make over `base`: grants where a rule led, restrictions under every name of an object."""
    view = dict(base)
    for thing in objects:
        view.update((name, thing.access) for name in thing.led_to)
    for thing in objects:
        view.update((name, thing.access) for name in thing.names if needs_restriction(thing, name, view))
    return outermost(view)


def needs_restriction(thing: Object, name: bytes, view: dict[bytes, str]) -> bool:
    """Whether a further name of a denied or read-only object would be shown with more access than the object has."""
    if thing.access == RW or name in thing.led_to:
        return False
    if thing.access == RO:
        return name not in view and access(view, name) == RW
    return access(view, name) in SHOWS_HOST


def check(live: list[Found], view: dict[bytes, str]) -> None:
    """Refuse what cannot be enforced among the rules that lead somewhere."""
    refuse.whole_root(view)
    for found in live:
        refuse.unsteady_rule(found, view)
        refuse.long_path(found)


def deny_missing(plan: Plan, walks: list[Walk], mounts: Mounts) -> None:
    """Settle every denied name that does not exist (MASK-4)."""
    for way in walks:
        decision = fate(way, plan.view)
        if decision == IGNORE:
            continue
        name = join(way.real, b"/".join(part for part in way.rest if part not in (b"", b".")))
        if decision == RESERVE:
            refuse.unreservable(way, plan.view, mounts)
            plan.reserved[name] = way.real
            keep(plan, way)
        plan.view[name] = DENY
    plan.view = outermost(plan.view)
    plan.reserved = {name: folder for name, folder in plan.reserved.items() if name in plan.view}


def hold(plan: Plan, walks: list[Walk]) -> None:
    """Keep what the rules led to, and look up what they did not: further names of an object, temp folders (RACE-1)."""
    for way in walks:
        keep(plan, way)
    for name in plan.view.keys() - plan.held.keys():
        way = walk(name)
        if way.links or (way.error and plan.view[name] != DENY):
            raise changed(name)
        if not way.error:
            keep(plan, way)


def keep(plan: Plan, way: Walk) -> None:
    """Keep the object that a walk ended at under its canonical path."""
    if way.held and not way.held.is_same(plan.held.setdefault(way.real, way.held)):
        raise changed(way.real)


def changed(name: bytes) -> Refused:
    """The refusal of a name that does not lead to the same object any more (RACE-1)."""
    return Refused(shown(name), "changed hands while the policy was read", "try again while nothing else changes it")
