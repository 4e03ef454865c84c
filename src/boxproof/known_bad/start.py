# SPDX-License-Identifier: MIT
"""Valid policies that do not start, or start with something missing (START-1 to START-5)."""

from __future__ import annotations

import errno
import os
import stat

from boxproof.reference.mountinfo import Mounts
from boxproof.reference.paths import ROOT
from boxproof.reference.plan import Object, foundation, group
from boxproof.reference.policyfile import Policy, Rule, parse
from boxproof.reference.refusal import Refused, shown
from boxproof.reference.refuse import long_path
from boxproof.reference.resolve import Found, blocked_but_writable, leads_somewhere, resolve
from boxproof.reference.view import DENY, RO, RW, covered
from boxproof.reference.walk import Walk

from .entry import replaces


@replaces(
    group,
    caught="START-1",
    related=("START-2", "BIND-2", "BIND-8", "NEST-1", "MASK-9", "ESC-3", "ESC-4"),
    mimics="a read-only entry that is bound like a writable one",
)
def ro_is_rw(live: list[Found], mounts: Mounts) -> list[Object]:
    """A read-only entry inside a writable folder is mounted writable."""
    objects = group(live, mounts)
    writable = [name for thing in objects if thing.access == RW for name in thing.led_to]
    for thing in objects:
        if thing.access == RO and covered(writable, thing.led_to[0]):
            thing.access = RW
    return objects


@replaces(
    long_path, caught="START-1", related=("START-2", "BIND-1"), mimics="a helper that takes only files and folders"
)
def sockets_refused(found: Found) -> None:
    """A rule that names a socket is refused."""
    if stat.S_ISSOCK(found.walk.mode):
        raise Refused(shown(found.walk.spelling), "neither file nor folder", "leave it out")
    long_path(found)


@replaces(leads_somewhere, caught="START-2", related=("BIND-3", "ESC-4"), mimics="containers/bubblewrap#282")
def dangling_ro_fatal(found: Found) -> bool:
    """One read-only entry that leads nowhere stops the start."""
    if found.walk.error and found.access == RO:
        raise Refused(shown(found.walk.spelling), os.strerror(found.walk.error), "correct the policy")
    return not found.walk.error


@replaces(leads_somewhere, caught="START-2", mimics="anthropics/claude-code#56698")
def skips_only_missing(found: Found) -> bool:
    """A name that does not exist is skipped, a loop or a file used as a folder stops the start."""
    if found.walk.error not in (0, errno.ENOENT) and found.access == RO:
        raise Refused(shown(found.walk.spelling), os.strerror(found.walk.error), "correct the policy")
    return not found.walk.error


@replaces(blocked_but_writable, caught="START-2", mimics="an unreadable entry that is taken for a missing one")
def unreadable_parent_dropped(_found: Found, _view: dict[bytes, str]) -> bool:
    """A read-only rule behind a folder that the command can make readable is dropped."""
    return False


@replaces(leads_somewhere, caught="START-3", mimics="containers/bubblewrap#282")
def dangling_rw_fatal(found: Found) -> bool:
    """One writable entry that leads nowhere stops the start."""
    if found.walk.error and found.access == RW:
        raise Refused(shown(found.walk.spelling), os.strerror(found.walk.error), "correct the policy")
    return not found.walk.error


@replaces(resolve, caught="START-3", related=("ESC-4",), mimics="mweinbach/agent-coworker#153")
def missing_rw_created(rule: Rule) -> Found:
    """A writable entry that does not exist is made on the host, as a folder."""
    found = resolve(rule)
    if found.access == RW and found.walk.error == errno.ENOENT and os.path.isdir(os.path.dirname(rule.path)):
        os.makedirs(os.path.realpath(rule.path), exist_ok=True)
        found = resolve(rule)
    return found


@replaces(resolve, caught="START-4", related=("START-2", "ESC-1"), mimics="omnigent-ai/omnigent#4379")
def folders_scanned(rule: Rule) -> Found:
    """A folder is searched for links, and one that leads nowhere stops the start."""
    found = resolve(rule)
    if found.access != DENY and not found.walk.error and found.walk.is_folder:
        for folder, _, files in os.walk(found.walk.real):
            for path in (os.path.join(folder, name) for name in files):
                if os.path.islink(path) and not os.path.exists(path):
                    raise Refused(shown(path), "a dangling link", "remove it")
    return found


@replaces(parse, caught="START-5", mimics="anthropics/claude-code#74081")
def rules_cut_at_256(data: object) -> Policy:
    """Rules beyond the 256th are dropped in silence."""
    policy = parse(data)
    policy.rules = policy.rules[:256]
    return policy


@replaces(
    group,
    caught="START-1",
    related=("START", "BIND", "NEST-1", "NEST-2", "MASK", "ESC", "NAME-1", "NAME-2", "FALL-7"),
    mimics="a workspace that the command cannot write",
)
def rw_is_ro(live: list[Found], mounts: Mounts) -> list[Object]:
    """A writable entry is mounted read-only."""
    objects = group(live, mounts)
    for thing in objects:
        thing.access = RO if thing.access == RW else thing.access
    return objects


@replaces(
    foundation,
    caught="START-1",
    related=("START", "BIND", "MASK-1", "MASK-3", "ESC-4", "NAME-1", "NAME-2"),
    mimics="a reads switch that is ignored",
)
def listed_is_everything(policy: Policy, system: list[Walk], private: dict[bytes, str]) -> dict[bytes, str]:
    """With listed reads everything is readable all the same."""
    return {**foundation(policy, system, private), ROOT: RO}


@replaces(
    leads_somewhere, caught="START-3", related=("START-2", "BIND-3", "BIND-7", "ESC-4"), mimics="openai/codex#20716"
)
def panics_where_nothing_is(found: Found) -> bool:
    """A grant that leads nowhere crashes the helper."""
    if found.walk.error and found.access != DENY:
        os.abort()
    return not found.walk.error


@replaces(
    resolve,
    caught="START-4",
    related=("START-2", "BIND-1", "BIND-3", "ESC-1", "ESC-4"),
    mimics="a copy of the workspace that takes only files and folders",
)
def odd_files_refused(rule: Rule) -> Found:
    """A folder that holds a link, a socket, a FIFO or something unreadable is refused."""
    found = resolve(rule)
    if found.access != DENY and not found.walk.error and found.walk.is_folder:
        for folder, folders, files in os.walk(found.walk.real):
            for path in (os.path.join(folder, name) for name in (*folders, *files)):
                mode = os.lstat(path).st_mode
                if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or not os.access(path, os.R_OK):
                    raise Refused(shown(path), "cannot be copied", "remove it")
    return found
