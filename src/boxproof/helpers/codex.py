# SPDX-License-Identifier: MIT
"""``codex-linux-sandbox``, the helper in the ``codex`` binary, which looks at the name that it is started by.

Its command line changed four times; a flag or word that a version does not know is exit status 2, so each is tried.
Sources: the helper's ``--help`` and the types behind its JSON in ``openai/codex``, ``codex-rs/protocol``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from boxproof.errors import HelperError
from boxproof.helpers.ask import ask
from boxproof.helpers.base import Adapter, CannotExpressError, Documented, Helper, Invocation, Places
from boxproof.helpers.leads import writable_cwd
from boxproof.model.capability import Capability
from boxproof.model.policy import Policy, Rule

NAME: Final = "codex-linux-sandbox"
_WRONG_USAGE: Final = 2
_SURFACES: Final = ("profile-deny", "profile-none", "split", "legacy-bwrap", "legacy")
"""Newest first: since 0.134, 0.128 to 0.130, 0.115 to 0.125, 0.104 to 0.110, 0.98 to 0.103."""
_SAMPLE: Final = Policy("/", (Rule("rw", "/"), Rule("deny", "/boxproof")))
_ENTRIES: Final = frozenset(Capability) - {Capability.GRANT_OVERRIDES_DENY, Capability.RAW_NAMES}
_LEGACY: Final = frozenset(
    {Capability.RW_RULES, Capability.RO_CWD, Capability.POLICY_DOCUMENT, Capability.NETWORK_SWITCH}
)
_DOCUMENTED: Final = Documented(
    source="github.com/openai/codex, codex-rs/linux-sandbox",
    engines=("bubblewrap", "bundled bubblewrap"),
)


@frozen
class Codex(Adapter):
    """Drives ``codex-linux-sandbox``."""

    name: str = "codex"
    reserved: Sequence[str] = (".git", ".codex", ".agents", ".aws")
    documented: Documented = _DOCUMENTED

    def leftovers(self, helper: Helper) -> Sequence[str]:
        """Return its state in the temp folder, and the empty folder that versions with the split surface make."""
        state = ("tmp/codex-daemon-*", "tmp/codex-bwrap-synthetic-mount-targets-*")
        return (*state, "farm/.codex", "farm/*/.codex") if helper.surface == "split" else state

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return what entries can say; the legacy surfaces know only writable roots, and Landlock no metadata."""
        if not helper.surface.startswith("legacy"):
            return _ENTRIES
        return _LEGACY | {Capability.METADATA} if helper.surface == "legacy-bwrap" else _LEGACY

    def recognises(self, binary: Path) -> bool:
        """Tell by the names ``codex`` and ``codex-linux-sandbox``."""
        return binary.name in {"codex", NAME}

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Ask for the version, and try each surface."""
        found = re.search(r"(?m)^codex\S* ([0-9]\S*)\s*$", ask(binary, ["--version"], env, argv0="codex").text)
        version = found[1] if found else ""
        name = f"codex-{version}" if version else "codex"
        return Helper(name, os.path.realpath(binary), version, _surface(binary, env), env)

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return a start through a link that is valid inside the sandbox, where the helper starts itself again."""
        own = (places.files, os.path.dirname(helper.path))
        if helper.surface in {"split", "legacy", "legacy-bwrap"}:
            _check_workspace(policy, places)
        flags = _flags(helper.surface, policy, own)
        if any("\udc80" <= character <= "\udcff" for word in flags for character in word):
            raise CannotExpressError("codex takes its policy as JSON, which has no names that are not UTF-8")
        return Invocation((f"{places.files}/{NAME}", *flags, "--", *command), links={NAME: helper.path})


def _surface(binary: Path, env: Mapping[str, str]) -> str:
    """Return the first surface that is no wrong usage; a command line without a command runs nothing."""
    if ask(binary, ["--boxproof-control"], env, argv0=NAME).status == _WRONG_USAGE:
        for surface in _SURFACES:
            if ask(binary, list(_flags(surface, _SAMPLE, ())), env, argv0=NAME).status != _WRONG_USAGE:
                return surface
    raise HelperError(
        f"'{binary}' takes none of the command lines of {NAME}",
        cause="it is another program, or a version that this adapter does not know",
    )


def _check_workspace(policy: Policy, places: Places) -> None:
    writes = any(rule.access == "rw" for rule in policy.rules)
    if writes and places.lead(policy.cwd).kind == "folder" and not writable_cwd(policy, places):
        raise CannotExpressError("this version of codex makes nothing writable where the working folder is not")


def _flags(surface: str, policy: Policy, own: Sequence[str]) -> tuple[str, ...]:
    cwd = ("--sandbox-policy-cwd", policy.cwd)
    if surface.startswith("legacy"):
        engine = ("--use-bwrap-sandbox",) if surface == "legacy-bwrap" else ()
        return (*cwd, *engine, "--sandbox-policy", _json(_legacy(policy)))
    network = "enabled" if policy.network else "restricted"
    if surface == "split":
        files = {"kind": "restricted", "entries": list(_entries(policy, "none", own))}
        return (*cwd, "--file-system-sandbox-policy", _json(files), "--network-sandbox-policy", _json(network))
    entries = list(_entries(policy, surface.removeprefix("profile-"), own))
    profile = {"type": "managed", "file_system": {"type": "restricted", "entries": entries}, "network": network}
    return (*cwd, "--command-cwd", policy.cwd, "--permission-profile", _json(profile))


def _entries(policy: Policy, deny: str, own: Sequence[str]) -> Iterator[dict[str, Any]]:
    if policy.reads == "everything":
        yield _special("root", "read")
    else:
        yield _special("minimal", "read")
        yield from (_entry(folder, "read") for folder in own)
    words = {"ro": "read", "rw": "write", "deny": deny}
    for rule in policy.rules:
        yield _entry(rule.spelling, words[rule.access])
    if policy.tmp == "writable":
        yield _special("tmpdir", "write")


def _entry(path: str, access: str) -> dict[str, Any]:
    return {"path": {"type": "path", "path": path}, "access": access}


def _special(kind: str, access: str) -> dict[str, Any]:
    return {"path": {"type": "special", "value": {"kind": kind}}, "access": access}


def _legacy(policy: Policy) -> dict[str, Any]:
    roots = [rule.spelling for rule in policy.rules if rule.access == "rw"]
    if not roots:
        return {"type": "read-only"}
    return {
        "type": "workspace-write",
        "writable_roots": roots,
        "network_access": policy.network,
        "exclude_tmpdir_env_var": policy.tmp == "closed",
        "exclude_slash_tmp": True,
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
