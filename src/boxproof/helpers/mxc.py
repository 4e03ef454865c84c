# SPDX-License-Identifier: MIT
"""MXC's ``lxc-exec``, from npm ``@microsoft/mxc-sdk``, with its bubblewrap backend.

The policy is a JSON file of three lists; the order between rules of different access is lost, and means nothing to it.
Source: the types of contract 1.0.0 in the package, ``dist/generated/v1_0_0/wire.d.ts``.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from boxproof.errors import HelperError
from boxproof.helpers.ask import ask
from boxproof.helpers.base import Adapter, CannotExpressError, Documented, Helper, Invocation, Places
from boxproof.helpers.package import version_beside
from boxproof.model.capability import Capability
from boxproof.model.policy import Access, Policy

CONTRACT: Final = "1.0.0"
WITHOUT_NETWORK: Final = "without-network"
"""Surface on hosts where an allowed network cannot be had: it comes from slirp4netns, which opens a tun device."""
_CONFIG: Final = "config.json"
_PACKAGE: Final = "@microsoft/mxc-sdk"
_CLAIMS: Final = frozenset(Capability) - {Capability.GRANT_OVERRIDES_DENY, Capability.RAW_NAMES}
_SAMPLE: Final = Policy("/")
_DOCUMENTED: Final = Documented(
    source="npm @microsoft/mxc-sdk, dist/generated/v1_0_0/wire.d.ts",
    engines=("bubblewrap",),
    preflight=("--dry-run",),
)


@frozen
class Mxc(Adapter):
    """Drives ``lxc-exec``."""

    name: str = "mxc"
    reserved: Sequence[str] = ()
    documented: Documented = _DOCUMENTED

    def claims(self, helper: Helper) -> frozenset[Capability]:
        """Return what three lists of paths and a switch for the network can say."""
        return _CLAIMS - {Capability.NETWORK_SWITCH} if helper.surface == WITHOUT_NETWORK else _CLAIMS

    def recognises(self, binary: Path) -> bool:
        """Tell by the name ``lxc-exec``."""
        return binary.name == "lxc-exec"

    def describe(self, binary: Path, env: Mapping[str, str]) -> Helper:
        """Read the version beside the binary, which has none itself, and have it check a policy without a start."""
        if "--dry-run" not in ask(binary, ["--help"], env).text:
            raise HelperError(f"'{binary}' is no lxc-exec", cause="its --help names no --dry-run")
        if not _takes_contract(binary, env):
            raise HelperError(f"'{binary}' does not take contract {CONTRACT}", cause="an older or a newer version?")
        version = version_beside(binary, _PACKAGE)
        surface = "" if _has_network() else WITHOUT_NETWORK
        return Helper(f"mxc-{version}" if version else "mxc", str(binary), version, surface, env)

    def invocation(self, helper: Helper, policy: Policy, command: Sequence[str], places: Places) -> Invocation:
        """Return a start with the policy, the command and its environment in a file."""
        text = json.dumps(_config(policy, command, places), ensure_ascii=False)
        if any("\udc80" <= character <= "\udcff" for character in text):
            raise CannotExpressError("lxc-exec takes policy and command as JSON, without names that are not UTF-8")
        argv = (helper.path, "--config", f"{places.files}/{_CONFIG}")
        return Invocation(argv, files={_CONFIG: text.encode()})


def _config(policy: Policy, command: Sequence[str], places: Places) -> dict[str, Any]:
    everything = ["/"] if policy.reads == "everything" else []
    temp = [places.tmp] if policy.tmp == "writable" else []
    network = "allow" if policy.network else "deny"
    return {
        "version": CONTRACT,
        "containment": "bubblewrap",
        "process": {"commandLine": shlex.join(command), "cwd": policy.cwd, "env": _environment(places)},
        "filesystem": {
            "readonlyPaths": everything + _spellings(policy, "ro"),
            "readwritePaths": _spellings(policy, "rw") + temp,
            "deniedPaths": _spellings(policy, "deny"),
        },
        "network": {"egress": {"default": network}},
    }


def _spellings(policy: Policy, access: Access) -> list[str]:
    return [rule.spelling for rule in policy.rules if rule.access == access]


def _environment(places: Places) -> list[str]:
    """Return what an ordinary command expects; without it the command's environment would be empty."""
    return [f"PATH={os.defpath}", "LANG=C.UTF-8", f"HOME={places.home}", f"TMPDIR={places.tmp}"]


def _has_network() -> bool:
    """Tell whether every user of this host may open a tun device, and slirp4netns is there."""
    try:
        mode = os.stat("/dev/net/tun").st_mode
    except OSError:
        return False
    return bool(mode & stat.S_IROTH and mode & stat.S_IWOTH) and shutil.which("slirp4netns") is not None


def _takes_contract(binary: Path, env: Mapping[str, str]) -> bool:
    places = Places("/", "/", "/", "/")
    with tempfile.TemporaryDirectory(prefix="boxproof-ask-") as folder:
        config = Path(folder) / _CONFIG
        config.write_text(json.dumps(_config(_SAMPLE, ["/bin/true"], places)), encoding="utf-8")
        return not ask(binary, ["--dry-run", "--config", str(config)], env).status
