# SPDX-License-Identifier: MIT
"""The sandbox of Gemini's shell tool, ``LinuxSandboxManager.js`` in npm ``@google/gemini-cli-core``: bubblewrap.

It is a class and no program, so node runs a driver of ours that has it prepare the command and starts what it returns.
The workspace is the working folder. Everything can be read but what is forbidden; mounts are put in order by the length
of their paths. Source: the package's ``dist/src/services/sandboxManager.d.ts``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from boxproof.errors import HelperError
from boxproof.helpers.ask import ask
from boxproof.helpers.base import Adapter, CannotExpressError, Documented, Helper, Invocation, Places
from boxproof.helpers.leads import writable_cwd
from boxproof.helpers.package import version_beside
from boxproof.model.capability import Capability
from boxproof.model.policy import Access, Policy

MANAGER: Final = "LinuxSandboxManager.js"
_ENV: Final = "/usr/bin/env"
_DRIVER: Final = "gemini.mjs"
_REQUEST: Final = "request.json"
_ASK: Final = "import(process.argv[1]).then((found) => console.log(Object.keys(found)), () => console.log('nothing'))"
_PROGRAM: Final = (Path(__file__).parent / "drivers" / _DRIVER).read_bytes()
_CLAIMS: Final = frozenset(Capability) - {
    Capability.LISTED_READS,
    Capability.GRANT_OVERRIDES_DENY,
    Capability.RAW_NAMES,
    Capability.POLICY_DOCUMENT,
}
_GOVERNANCE: Final = (".gitignore", ".geminiignore", ".git")
_DOCUMENTED: Final = Documented(
    source="npm @google/gemini-cli-core, dist/src/services/sandboxManager.d.ts",
    engines=("bubblewrap",),
)


@frozen
class Gemini(Adapter):
    """Drives ``LinuxSandboxManager``."""

    name: str = "gemini"
    reserved: Sequence[str] = (*_GOVERNANCE, ".env")
    documented: Documented = _DOCUMENTED

    def leftovers(self, helper: Helper) -> Sequence[str]:
        """Return its governance files, which it makes in each workspace so that it can protect them."""
        del helper
        return tuple(f"farm/{below}{name}" for name in _GOVERNANCE for below in ("", "*/"))

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return what a workspace, lists of permissions and forbidden paths can say."""
        del helper
        return _CLAIMS

    def recognises(self, binary: Path) -> bool:
        """Tell by the name of the class's file."""
        return binary.name == MANAGER

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Have node import the class, and read the version of the package around it."""
        module = binary.suffix == ".js"
        said = ask(Path(_ENV), ["node", "-e", _ASK, str(binary)], env).text if module else ""
        if "LinuxSandboxManager" not in said:
            raise HelperError(f"'{binary}' is no {MANAGER}", cause="node is missing, or cannot import it", cure=_CURE)
        version = version_beside(binary, "@google/gemini-cli-core")
        return Helper(f"gemini-{version}" if version else "gemini", str(binary), version, env=env)

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return a start of the driver with the policy in a file."""
        text = json.dumps(_said(policy, places), ensure_ascii=False)
        if any("\udc80" <= character <= "\udcff" for character in text):
            raise CannotExpressError("gemini takes paths as strings of JavaScript, all of them UTF-8")
        words = (f"{places.files}/{_DRIVER}", helper.path, f"{places.files}/{_REQUEST}", *command)
        return Invocation((_ENV, "node", *words), files={_DRIVER: _PROGRAM, _REQUEST: text.encode()})


def _said(policy: Policy, places: Places) -> dict[str, Any]:
    temp = [places.tmp] if policy.tmp == "writable" else []
    permissions = {"read": _spellings(policy, "ro"), "write": _spellings(policy, "rw") + temp}
    return {
        "options": {
            "workspace": policy.cwd,
            "forbiddenPaths": _spellings(policy, "deny"),
            "modeConfig": {"readonly": not writable_cwd(policy, places)},
        },
        "request": {
            "cwd": policy.cwd,
            "policy": {"networkAccess": policy.network, "additionalPermissions": {"fileSystem": permissions}},
        },
    }


def _spellings(policy: Policy, access: Access) -> list[str]:
    return [rule.spelling for rule in policy.rules if rule.access == access]


_CURE: Final = "install the package with what it needs"
