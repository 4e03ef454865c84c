# SPDX-License-Identifier: MIT
"""``cursorsandbox``, from npm ``@cursor/sdk-linux-x64``.

The policy is a JSON file, which the helper deletes; builds before the npm package took it as an argument. List entries
become a map from folders to patterns exactly as the vendor's SDK does it, since that is what users get.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from boxproof.errors import HelperError
from boxproof.helpers.ask import ask
from boxproof.helpers.base import Adapter, CannotExpressError, Documented, Helper, Invocation, Lead, Places
from boxproof.helpers.leads import access_of_cwd
from boxproof.helpers.package import version_beside
from boxproof.model.capability import Capability
from boxproof.model.policy import Access, Policy, Rule

SYSTEM: Final = (
    *("/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/lib", "/lib64", "/usr/lib", "/usr/lib64"),
    *("/usr/local/lib", "/usr/libexec", "/usr/share", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"),
    *("/etc/alternatives", "/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf"),
)
"""What the SDK always adds to a list of readable paths, as far as the suite's commands need it."""
BACKEND: Final = "CURSOR_SANDBOX_LINUX_BACKEND"
FILE: Final = "policy-file"
FILE_WITH_READS: Final = "policy-file-with-reads"
INLINE: Final = "inline"
_POLICY: Final = "policy.json"
_CLAIMS: Final = frozenset(
    {
        Capability.DENY,
        Capability.RO_RULES,
        Capability.RW_RULES,
        Capability.RO_CWD,
        Capability.CARVE_OUT,
        Capability.POLICY_DOCUMENT,
        Capability.NETWORK_SWITCH,
    }
)
_PATTERN: Final = re.compile(r"[*?\[{}!\\]|^ | $")
_DOCUMENTED: Final = Documented(
    source="npm @cursor/sdk-linux-x64, cursorsandbox --help",
    engines=("Landlock in namespaces", "bubblewrap"),
    chosen_by=BACKEND,
    choices={"landlock": ("Landlock in namespaces",), "bubblewrap": ("bubblewrap",)},
    preflight=("--preflight-only",),
)


@frozen
class CursorSandbox(Adapter):
    """Drives ``cursorsandbox``."""

    name: str = "cursorsandbox"
    reserved: Sequence[str] = (".git", ".cursor", ".cursorignore", ".vscode", ".idea")
    documented: Documented = _DOCUMENTED

    def leftovers(self, helper: Helper) -> Sequence[str]:
        """Return the policy file, which the helper deletes, and what Landlock runs with a denied file leave in /tmp."""
        del helper
        return (f"files/{_POLICY}", "tmp/.everysphere_sbx_bh_*")

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return what the policy can say; with Landlock, the default, attributes outside are not protected."""
        bubblewrap = {Capability.METADATA} if helper.env.get(BACKEND) == "bubblewrap" else set()
        reads = {Capability.LISTED_READS} if helper.surface == FILE_WITH_READS else set()
        return _CLAIMS | bubblewrap | reads

    def recognises(self, binary: Path) -> bool:
        """Tell by the name ``cursorsandbox``."""
        return binary.name == "cursorsandbox"

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Read the version beside the binary, which has none itself, and ask for its options."""
        options = ask(binary, ["--help"], env).text
        real = Path(os.path.realpath(binary))
        version = version_beside(binary, "@cursor/")
        name = f"{self.name}-{version}" if version else self.name
        ripgrep = real.parent / "rg"
        needed = {"CURSOR_RIPGREP_PATH": str(ripgrep)} if ripgrep.is_file() else {}
        if "--sandbox-policy" in options:
            return Helper(name, str(binary), version, INLINE, env)
        if "--policy <POLICY>" not in options:
            raise HelperError(f"'{binary}' is no cursorsandbox", cause="its --help names no --policy")
        surface = FILE_WITH_READS if _bounds_reads(real, {**needed, **env}) else FILE
        return Helper(name, str(binary), version, surface, {**needed, **env})

    def markers(self, policy: Policy) -> Sequence[str]:
        """Return a ``.git`` that makes the whole farm one repository: entries are enforced inside repositories only."""
        del policy
        return (".git",)

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return a start with the policy in a fresh file, or as an argument."""
        inline = helper.surface == INLINE
        text = json.dumps(_policy(policy, places, inline=inline), ensure_ascii=False)
        if any("\udc80" <= character <= "\udcff" for character in text):
            raise CannotExpressError("cursorsandbox takes its policy as JSON, which has no names that are not UTF-8")
        if inline:
            return Invocation((helper.path, "--sandbox-policy", text, "--", *command))
        argv = (helper.path, "--policy", f"{places.files}/{_POLICY}", "--", *command)
        return Invocation(argv, files={_POLICY: f'{{"sandbox": {text}}}'.encode()})


def _policy(policy: Policy, places: Places, *, inline: bool) -> dict[str, Any]:
    kind = _kind(policy, places)
    rules = _beside_workspace(policy, "rw" if kind == "workspace_readwrite" else "ro")
    readonly = [rule.spelling for rule in rules if rule.access == "ro"]
    said: dict[str, Any] = {
        "type": kind,
        "cwd": policy.cwd,
        "additionalReadonlyPaths": readonly if inline else _mapping("ro", rules, places),
        "ignoreMapping": _mapping("deny", rules, places),
        "networkAccess": policy.network,
    }
    if policy.reads == "listed":
        said |= {"readBoundary": "workspace", "hardcodedReadPaths": [*SYSTEM, *readonly]}
    if kind == "workspace_readwrite":
        writable = [rule.spelling for rule in rules if rule.access == "rw"]
        temp = [places.tmp] if policy.tmp == "writable" else []
        said |= {"additionalReadwritePaths": writable + temp, "disableTmpWrite": not temp}
    return said


def _kind(policy: Policy, places: Places) -> str:
    """Return the type of the policy, by whether the working folder, the workspace, is to be writable.

    Raises:
        CannotExpressError: a workspace that is not writable lets nothing else be, and is always readable.
    """
    access = access_of_cwd(policy, places)
    folder = places.lead(policy.cwd).kind == "folder"
    if policy.reads == "listed" and access is None and folder:
        raise CannotExpressError("cursorsandbox always makes the working folder readable")
    if not any(rule.access == "rw" for rule in policy.rules) and policy.tmp == "closed":
        return "workspace_readonly"
    if access != "rw" and folder:
        raise CannotExpressError("cursorsandbox makes nothing writable where the working folder is not")
    return "workspace_readwrite"


def _beside_workspace(policy: Policy, access: Access) -> list[Rule]:
    """Return the rules without the first that says of the workspace what its type says already."""
    rules = list(policy.rules)
    workspace = Rule(access, policy.cwd)
    if workspace in rules:
        rules.remove(workspace)
    return rules


def _mapping(access: Access, rules: Sequence[Rule], places: Places) -> dict[str, list[str]]:
    mapping: dict[str, list[str]] = {}
    for rule in rules:
        if rule.access == access:
            for folder, patterns in _patterns(rule.spelling, places.lead(rule.spelling)):
                mapping.setdefault(folder, []).extend(patterns)
    return mapping


def _patterns(spelling: str, lead: Lead) -> Iterator[tuple[str, Sequence[str]]]:
    """Iterate over the keys and patterns for one list entry, as the SDK gives them, but with the name made literal."""
    parent, _, name = spelling.rpartition("/")
    # classes of one character: not every version understands a backslash everywhere, and blanks at the ends are cut off
    literal = _PATTERN.sub(lambda found: f"[\\{found[0]}]" if found[0] in "!\\" else f"[{found[0]}]", name)
    patterns = [literal, f"{literal}/**"] if name and lead.kind != "folder" else ["**"]
    folder, real = (spelling, lead.real) if lead.kind == "folder" else (parent or "/", lead.parent)
    yield folder, patterns
    if real and real != folder:
        yield real, patterns


def _bounds_reads(binary: Path, env: Mapping[str, str]) -> bool:
    """Tell whether this build knows a read boundary and its backend can enforce it here.

    Unknown keys are accepted in silence, so an answer counts only from a binary that holds the key's name.
    """
    if b"readBoundary" not in binary.read_bytes():
        return False
    with tempfile.TemporaryDirectory(prefix="boxproof-ask-") as folder:
        policy = Path(folder) / _POLICY
        sandbox = {"type": "workspace_readonly", "cwd": folder, "networkAccess": False}
        bounded = {**sandbox, "readBoundary": "workspace", "hardcodedReadPaths": list(SYSTEM)}
        policy.write_text(json.dumps({"sandbox": bounded}), encoding="utf-8")
        return not ask(binary, ["--policy", str(policy), "--preflight-only", "--", "/bin/sh"], env).status
