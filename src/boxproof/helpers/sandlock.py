# SPDX-License-Identifier: MIT
"""``sandlock``, a Python package: Landlock and seccomp, no mounts. The helper is a Python that can import it.

Each launch gets a small module that hands three lists of paths to ``sandlock.Sandbox`` and runs the command in it.
Source: the package's README, "Filesystem (Landlock)": lists add up, and what is denied wins.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from boxproof.errors import HelperError
from boxproof.helpers.ask import ask
from boxproof.helpers.base import Adapter, CannotExpressError, Documented, Helper, Invocation, Places
from boxproof.helpers.bwrap import SYSTEM
from boxproof.model.capability import Capability
from boxproof.model.policy import Access, Policy

_DEVICES: Final = ("/dev/null", "/dev/zero")
"""What swallows all that is written, and is writable under every policy."""
_DRIVER: Final = "driver.py"
_POLICY: Final = "policy.json"
_ASK: Final = "import sandlock; print('sandlock', sandlock.__version__, hasattr(sandlock.Sandbox, 'run_interactive'))"
_PROGRAM: Final = b"""\
import json
import sys

import sandlock

try:
    with open(sys.argv[1], encoding="utf-8") as file:
        box = sandlock.Sandbox(**json.load(file))
    status = box.run_interactive(sys.argv[2:])
except Exception as error:
    sys.exit(f"sandlock: {type(error).__name__}: {error}")
sys.exit(status)
"""
_CLAIMS: Final = frozenset(Capability) - {
    Capability.GRANT_OVERRIDES_DENY,
    Capability.RAW_NAMES,
    Capability.POLICY_DOCUMENT,
    Capability.METADATA,
    Capability.PROCESSES,
}
_DOCUMENTED: Final = Documented(
    source="PyPI sandlock, README.md",
    engines=("Landlock and seccomp",),
)


@frozen
class Sandlock(Adapter):
    """Drives ``sandlock`` through its Python interface."""

    name: str = "sandlock"
    reserved: Sequence[str] = ()
    documented: Documented = _DOCUMENTED

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return what three lists of paths can say; Landlock does not protect attributes."""
        del helper
        return _CLAIMS

    def recognises(self, binary: Path) -> bool:
        """Tell by the name ``sandlock``; a Python of another name takes ``--adapter=sandlock``."""
        return binary.name == "sandlock"

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Have the interpreter import the package and tell its version."""
        found = re.search(r"(?m)^sandlock (\S+) True$", ask(binary, ["-c", _ASK], env).text)
        if not found:
            raise HelperError(
                f"'{binary}' is no Python with sandlock", cause="it cannot import the package, or another"
            )
        return Helper(f"sandlock-{found[1]}", str(binary), found[1], env=env)

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return a start of the module with the policy in a file."""
        _check_nesting(policy, places)
        text = json.dumps(_arguments(policy, places), ensure_ascii=False)
        if any("\udc80" <= character <= "\udcff" for character in text):
            raise CannotExpressError("sandlock takes paths as UTF-8")
        argv = (helper.path, f"{places.files}/{_DRIVER}", f"{places.files}/{_POLICY}", *command)
        return Invocation(argv, files={_DRIVER: _PROGRAM, _POLICY: text.encode()})


def _check_nesting(policy: Policy, places: Places) -> None:
    """Refuse what no list can say, since rights only add up: read-only inside writable."""
    real = {rule: places.lead(rule.spelling).real or rule.spelling for rule in policy.rules}
    writable = [real[rule].rstrip("/") + "/" for rule in policy.rules if rule.access == "rw"]
    for rule in policy.rules:
        if rule.access == "ro" and f"{real[rule]}/".startswith(tuple(writable)):
            raise CannotExpressError("sandlock makes nothing in a writable folder read-only")


def _arguments(policy: Policy, places: Places) -> dict[str, Any]:
    everything = policy.reads == "everything"
    system = ["/"] if everything else [*filter(lambda path: Path(path).is_dir(), SYSTEM), "/dev", "/proc"]
    temp = [places.tmp] if policy.tmp == "writable" else []
    return {
        "fs_readable": system + _spellings(policy, "ro"),
        "fs_writable": [*_DEVICES, *_spellings(policy, "rw"), *temp],
        "fs_denied": _spellings(policy, "deny"),
        "net_allow": ["*:*", "icmp://*"] if policy.network else [],
        "cwd": policy.cwd,
    }


def _spellings(policy: Policy, access: Access) -> list[str]:
    return [rule.spelling for rule in policy.rules if rule.access == access]
