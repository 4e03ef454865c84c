# SPDX-License-Identifier: MIT
"""``srt``, from npm ``@anthropic-ai/sandbox-runtime``, and VS Code's fork of it, ``@vscode/sandbox-runtime``.

Reading is allowed unless denied, writing is denied unless allowed, and a denied write wins over an allowed one. What is
denied is in both lists of denies, since each is about one of the two. A list of what alone is readable would let its
grants win over denies, so that is not claimed. The command is a shell string,
the working folder the caller's. Source: the packages' README, "Filesystem Isolation" and "Mandatory Deny Paths".
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from boxproof.errors import HelperError
from boxproof.helpers.ask import ask
from boxproof.helpers.base import Adapter, CannotExpressError, Documented, Helper, Invocation, Places
from boxproof.helpers.package import version_beside
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy

FORK: Final = "fork"
"""Surface of VS Code's fork, in which every path is a string, and one with a star or a bracket always a pattern."""
_PACKAGES: Final = {"@anthropic-ai/sandbox-runtime": "srt", "@vscode/sandbox-runtime": "vscode-srt"}
_SETTINGS: Final = "settings.json"
_PATTERN: Final = re.compile(r"[*?\[\]{}]")
_FORKS_PATTERN: Final = re.compile(r"[*?\[\]]")
_CLAIMS: Final = frozenset(
    {
        Capability.DENY,
        Capability.RO_RULES,
        Capability.RW_RULES,
        Capability.RO_CWD,
        Capability.CARVE_OUT,
        Capability.POLICY_DOCUMENT,
        Capability.METADATA,
        Capability.PROCESSES,
    }
)
_DOCUMENTED: Final = Documented(
    source="npm @anthropic-ai/sandbox-runtime, README.md",
    engines=("bubblewrap",),
)


@frozen
class Srt(Adapter):
    """Drives ``srt``."""

    name: str = "srt"
    reserved: Sequence[str] = (
        *(".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".zshrc", ".zprofile", ".profile", ".ripgreprc"),
        *(".mcp.json", ".vscode", ".idea", ".claude", ".git"),
    )
    documented: Documented = _DOCUMENTED

    def leftovers(self, helper: Helper) -> Sequence[str]:
        """Return its sockets and empty folders in the temp folder."""
        del helper
        return ("tmp/claude-empty-*", "tmp/claude-http-*.sock", "tmp/claude-socks-*.sock", "tmp/srt-*")

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return what four lists of paths can say."""
        del helper
        return _CLAIMS

    def recognises(self, binary: Path) -> bool:
        """Tell by the name ``srt``, or by the package that a ``cli.js`` lies in."""
        return binary.name == "srt" or (
            binary.name == "cli.js" and any(version_beside(binary, name) for name in _PACKAGES)
        )

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Ask for the options, and read name and version beside the binary: the fork's own is always 1.0.0."""
        said = ask(binary, ["--help"], env).text
        if "Usage: srt" not in said or "--settings" not in said:
            raise HelperError(f"'{binary}' is no srt", cause="its --help names no --settings")
        for package, name in _PACKAGES.items():
            version = version_beside(binary, package)
            if version:
                return Helper(f"{name}-{version}", str(binary), version, FORK if name != self.name else "", env)
        return Helper(self.name, str(binary), env=env)

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return a start with the settings in a file, in the working folder that the launcher chose."""
        literal = helper.surface != FORK
        if not literal and any(_FORKS_PATTERN.search(rule.spelling) for rule in policy.rules):
            raise CannotExpressError("the fork of srt takes a path with '*', '?', '[' or ']' as a pattern")
        text = json.dumps(_settings(policy, places, literal=literal), ensure_ascii=False)
        if any("\udc80" <= character <= "\udcff" for character in text):
            raise CannotExpressError("srt takes its settings as JSON, which has no names that are not UTF-8")
        argv = (helper.path, "--settings", f"{places.files}/{_SETTINGS}", "-c", shlex.join(command))
        return Invocation(argv, files={_SETTINGS: text.encode()})


def _settings(policy: Policy, places: Places, *, literal: bool) -> dict[str, Any]:
    paths = {
        access: [_entry(rule.spelling, literal=literal) for rule in policy.rules if rule.access == access]
        for access in ("ro", "rw", "deny")
    }
    temp = [places.tmp] if policy.tmp == "writable" else []
    return {
        "network": {"allowedDomains": [], "deniedDomains": []},
        "filesystem": {
            "denyRead": paths["deny"],
            "allowRead": [],
            "allowWrite": paths["rw"] + temp,
            "denyWrite": paths["ro"] + paths["deny"],
        },
    }


def _entry(path: str, *, literal: bool) -> str | dict[str, Any]:
    """Return a path as it is; one that could be a pattern is marked where the format has a mark for it."""
    return {"path": path, "literal": True} if literal and _PATTERN.search(path) else path
