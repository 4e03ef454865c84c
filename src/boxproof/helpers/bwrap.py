# SPDX-License-Identifier: MIT
"""bubblewrap itself, driven literally: a control that shows what the engine does, not a helper that should pass.

Options as in bwrap(1): one mount a rule, in list order, on the spelling as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import frozen

from boxproof.errors import HelperError
from boxproof.helpers.ask import ask
from boxproof.helpers.base import Adapter, Documented, Helper, Invocation, Places
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy, Rule

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc")
"""What is readable under every policy."""
WITHOUT_PERMS: Final = "without-perms"
"""Surface of versions before 0.5, which have no ``--perms``."""
_FIRST_FD: Final = 10
_CLAIMS: Final = frozenset(Capability) - {Capability.GRANT_OVERRIDES_DENY, Capability.POLICY_DOCUMENT}
_DOCUMENTED: Final = Documented(
    source="bwrap(1)",
    engines=("bubblewrap",),
)


@frozen
class Bwrap(Adapter):
    """Drives ``bwrap``."""

    name: str = "bwrap"
    reserved: Sequence[str] = ()
    documented: Documented = _DOCUMENTED

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return all that a mount can say."""
        del helper
        return _CLAIMS

    def recognises(self, binary: Path) -> bool:
        """Tell by the name ``bwrap``."""
        return binary.name == "bwrap"

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Ask for the version, and whether there is ``--perms``."""
        found = re.fullmatch(r"bubblewrap ([0-9][0-9A-Za-z.+~-]*)\s*", ask(binary, ["--version"], env).text)
        if not found:
            raise HelperError(f"'{binary}' is no bubblewrap", cause="--version prints no 'bubblewrap N'")
        surface = "" if "--perms" in ask(binary, ["--help"], env).text else WITHOUT_PERMS
        return Helper(f"bwrap-{found[1]}", str(binary), found[1], surface, env)

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return one mount for each rule, and one descriptor for each file to mask."""
        masks = [rule for rule in policy.rules if rule.access == "deny" and places.lead(rule.spelling).kind != "folder"]
        null_fds = tuple(range(_FIRST_FD, _FIRST_FD + len(masks)))
        free = iter(null_fds)
        perms = () if helper.surface == WITHOUT_PERMS else ("--perms", "000")
        mounts = (word for rule in policy.rules for word in _mount(rule, places, perms, free))
        argv = (helper.path, *_confinement(policy, places), *mounts, "--chdir", policy.cwd, "--", *command)
        return Invocation(argv, null_fds=null_fds)


def _confinement(policy: Policy, places: Places) -> Iterator[str]:
    yield from ("--die-with-parent", "--unshare-all")
    if policy.network:
        yield "--share-net"
    if policy.reads == "everything":
        yield from ("--ro-bind", "/", "/")
    else:
        for folder in SYSTEM:
            yield from ("--ro-bind-try", folder, folder)
    yield from ("--dev", "/dev", "--proc", "/proc")
    if policy.tmp == "writable":
        yield from ("--bind", places.tmp, places.tmp)


def _mount(rule: Rule, places: Places, perms: Sequence[str], free: Iterator[int]) -> Iterator[str]:
    path = rule.spelling
    if rule.access != "deny":
        yield from ("--bind" if rule.access == "rw" else "--ro-bind", path, path)
    elif places.lead(path).kind == "folder":
        yield from (*perms, "--tmpfs", path, "--remount-ro", path)
    else:
        yield from (*perms, "--ro-bind-data", str(next(free)), path)
