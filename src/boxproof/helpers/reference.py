# SPDX-License-Identifier: MIT
"""The reference helper, and the known-bad ones made from it: a JSON policy in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import asdict, frozen

from boxproof.helpers.base import Adapter, Documented, Helper, Invocation, Places
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy

_POLICY: Final = "policy.json"
_CLAIMS: Final = frozenset(Capability) - {Capability.GRANT_OVERRIDES_DENY}
_DOCUMENTED: Final = Documented(
    source="docs/explanation.md",
    engines=("bubblewrap",),
    preflight=("--check",),
)


@frozen
class Reference(Adapter):
    """Drives ``boxproof-reference``."""

    name: str = "reference"
    reserved: Sequence[str] = ()
    documented: Documented = _DOCUMENTED

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return everything but a grant that overrides a deny."""
        del helper
        return _CLAIMS

    def recognises(self, binary: Path) -> bool:
        """Tell by the name ``boxproof-reference``."""
        return binary.name == "boxproof-reference"

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Take the binary as it is: it belongs to this package."""
        return Helper(self.name, str(binary), env=env)

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        r"""Return a start with the policy in a file; a byte that is not UTF-8 becomes ``\udcXX``."""
        rules = [{"path": rule.spelling, "access": rule.access} for rule in policy.rules]
        content = json.dumps({**asdict(policy, recurse=False), "rules": rules}, indent=1).encode("ascii")
        argv = (helper.path, "--policy", f"{places.files}/{_POLICY}", "--", *command)
        return Invocation(argv, files={_POLICY: content})
