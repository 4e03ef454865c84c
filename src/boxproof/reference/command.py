# SPDX-License-Identifier: MIT
"""Whether the command can be executed in the sandbox, told before it starts: 127 and 126 as shells do (PROC-3)."""

from __future__ import annotations

import errno
import os
import stat

from .mounts import is_absent
from .paths import join
from .plan import Plan
from .refusal import Refused, shown
from .view import DENY, HIDDEN, SHOWS_HOST, access
from .walk import Walk, walk

MISSING = 127
NOT_EXECUTABLE = 126


def check(command: bytes, search_path: bytes, plan: Plan) -> None:
    """Raise `Refused` with status 127 where no program of that name is shown, with 126 where one is that cannot run."""
    found = [walk(name) for name in candidates(command, search_path, plan.cwd)]
    seen = [way for way in found if not way.error and is_seen(way, plan)]
    name, advice = f"command {shown(command)}", "check its name, PATH and the policy"
    if not seen and not any(is_closed(way, plan.view) for way in found):
        raise Refused(name, "not found in the sandbox", advice, MISSING)
    if not any(is_executable(way, plan.view) for way in seen):
        raise Refused(name, "not executable in the sandbox", advice, NOT_EXECUTABLE)


def candidates(command: bytes, search_path: bytes, cwd: bytes) -> list[bytes]:
    """The absolute spellings to look for a command under (execvp(3)); relative ones start in the working folder."""
    folders = [b""] if b"/" in command else search_path.split(b":")
    names = [folder + b"/" + command if folder else command for folder in folders] if command else []
    return [name if name.startswith(b"/") else join(cwd, name) for name in names]


def is_seen(way: Walk, plan: Plan) -> bool:
    """Whether the sandbox shows a program under that spelling; in folders of its own, only the sandbox can tell."""
    recreated = {link for shown_way in plan.walks for link, _ in shown_way.links}
    if any(is_absent(plan.view, link) and link not in recreated for link, _ in way.links):
        return False
    return access(plan.view, way.real) != HIDDEN


def is_closed(way: Walk, view: dict[bytes, str]) -> bool:
    """Whether a shown folder on the way may not be searched, which hides whether there is a program."""
    return way.error == errno.EACCES and access(view, way.real) in SHOWS_HOST


def is_executable(way: Walk, view: dict[bytes, str]) -> bool:
    """Whether what was found is a file that may be executed; a masked one is not."""
    kind = access(view, way.real)
    if kind not in SHOWS_HOST:
        return kind != DENY
    return stat.S_ISREG(way.mode) and os.access(way.real, os.X_OK)
