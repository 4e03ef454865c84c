# SPDX-License-Identifier: MIT
"""Stands in for an ``lxc-exec`` without faults: hands the policy of its configuration to the reference helper.

The reference helper is ``boxproof-reference`` in the folder of this script.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

HELP = "Usage: lxc-exec [OPTIONS]\n  --config <CONFIG>\n  --dry-run\n"


def main(arguments: list[str]) -> None:
    """Answer ``--help`` and ``--dry-run``, or become the reference helper."""
    if arguments == ["--help"]:
        sys.stdout.write(HELP)
        return
    config = Path(arguments[-1])
    said = json.loads(config.read_bytes())
    if "--dry-run" in arguments:
        sys.exit(said["version"] != "1.0.0")
    lists, process = said["filesystem"], said["process"]
    words = {"readonlyPaths": "ro", "readwritePaths": "rw", "deniedPaths": "deny"}
    rules = [{"path": path, "access": access} for key, access in words.items() for path in lists[key] if path != "/"]
    policy = {
        "cwd": process["cwd"],
        "rules": rules,
        "reads": "everything" if "/" in lists["readonlyPaths"] else "listed",
        "network": said["network"]["egress"]["default"] == "allow",
        "tmp": "closed",
    }
    translated = os.memfd_create("policy", 0)  # the reference helper inherits it; a file would be left behind
    os.write(translated, json.dumps(policy).encode())
    reference = str(Path(__file__).parent / "boxproof-reference")
    environment = dict(entry.split("=", 1) for entry in process["env"])
    command = ["/bin/sh", "-c", process["commandLine"]]
    os.execve(reference, [reference, "--policy", f"/proc/self/fd/{translated}", "--", *command], environment)  # noqa: S606 - it takes its place


if __name__ == "__main__":
    main(sys.argv[1:])
