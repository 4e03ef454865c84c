# SPDX-License-Identifier: MIT
"""What a reproducer is made of: plain values, with places that only the script knows as paths that stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import field, frozen

from boxproof.model.case import Case
from boxproof.model.outcome import Finding

BASE: Final = "/boxproof-base"
"""Stands for the folder that holds the farm and the launch's other areas."""
PLACE: Final = f"{BASE}/farm"
"""Stands for the farm."""
HELPER_FOLDER: Final = "/boxproof-helper"
"""Stands for the folder of the helper's file; the helper is something in it."""
PROBE: Final = "boxproof-probe"
"""Stands for the script that the command runs."""
COMMAND: Final = ("/bin/sh", "-c", PROBE, "probe", PLACE)
"""What an adapter is to start."""
PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
UP_FARM: Final = "/boxproof-up/"
"""Stands for as many ``../`` as lead from the farm above the root."""
FDS: Final = range(3, 10)
"""Descriptors that every shell can open; two digits are more than dash takes."""


@frozen
class Start:
    """One start of the helper as its adapter gives it, with the paths above in the place of real ones.

    Args:
        argv: ends in `COMMAND`.
        files: name below the area ``files`` to content.
        links: likewise to the text of a symbolic link.
        null_fds: descriptors to be opened on ``/dev/null``.
        env: variables on top of the minimal environment; ``None`` where the value is the caller's own.
    """

    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(factory=dict)
    links: Mapping[str, str] = field(factory=dict)
    null_fds: tuple[int, ...] = ()
    env: Mapping[str, str | None] = field(factory=dict)


@frozen
class Recipe:
    """What a script is made of.

    Args:
        case: as it was run, derived probes included.
        findings: what was found.
        starts: one, or two that are tried in turn; none where nothing is known.
        plain: the start with a policy that is certain to be valid, by which a helper that takes another command line
            is told from one that has the fault.
        helper: the path after `HELPER_FOLDER` in `starts`, such as ``/boxproof-helper/codex``.
        statement: what the requirement says.
        default: the helper that is tried where the caller names none, as a shell word, or ``""``.
        about: lines of a comment at the head.
        markers: folders that the helper expects in the farm.
        flaky: whether the fault does not show in every launch.
        seconds: deadline of one launch, 0 for the usual one.
    """

    case: Case
    findings: tuple[Finding, ...]
    starts: tuple[Start, ...]
    plain: Start | None
    helper: str
    statement: str = ""
    default: str = ""
    about: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    flaky: bool = False
    seconds: float = 0.0

    @property
    def variables(self) -> Mapping[str, str]:
        """From the paths that stand for places to the shell's variables, as `shellwords.word` takes them."""
        return {BASE: "base", PLACE: "farm", self.helper: "helper", HELPER_FOLDER: "folder", UP_FARM: "up"}
