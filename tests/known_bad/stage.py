# SPDX-License-Identifier: MIT
"""One start of a bundled helper by hand: a folder with a workspace, a policy, and stand-ins for bwrap."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from attrs import field, frozen

SECONDS = 60.0
"""What a start may take on a busy machine."""


@frozen
class Stage:
    """A folder with a workspace ``ws`` in it.

    Args:
        root: the folder, outside of temp folders.
        bwrap: the bwrap that is used where a test gives no other.
    """

    root: Path
    bwrap: str = field(factory=lambda: shutil.which("bwrap", path="/usr/local/bin:/usr/bin:/bin") or "")

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every start; it names the folder, by which what is left is found."""
        return {**os.environ, "STAGE": str(self.root)}

    @property
    def workspace(self) -> Path:
        """The writable folder, in which the command starts."""
        return self.root / "ws"

    def command(self, name: str, *words: str, bwrap: str | None = None, rules: tuple[str, ...] = ()) -> list[str]:
        """Return the command line of a known-bad helper, or of the reference where `name` is empty.

        Args:
            name: which helper.
            words: what comes after its own options.
            bwrap: ``""`` for the one that it finds itself.
            rules: each an access word and a path, besides the workspace.
        """
        pairs = [rule.split(" ", 1) for rule in (f"rw {self.workspace}", *rules)]
        policy = {"cwd": str(self.workspace), "rules": [{"access": access, "path": path} for access, path in pairs]}
        (self.root / "policy.json").write_text(json.dumps(policy), encoding="utf-8")
        helper = ["boxproof.known_bad", name] if name else ["boxproof.reference"]
        used = self.bwrap if bwrap is None else bwrap
        own = ["--bwrap", used] if used else []
        return [sys.executable, "-m", *helper, "--policy", str(self.root / "policy.json"), *own, *words]

    def run(
        self,
        name: str,
        script: str,
        *options: str,
        bwrap: str | None = None,
        rules: tuple[str, ...] = (),
        **settings: Any,  # noqa: ANN401 - whatever `subprocess.run` takes
    ) -> subprocess.CompletedProcess[str]:
        """Run a shell script under a helper."""
        command = self.command(name, *options, "--", "/bin/sh", "-c", script, bwrap=bwrap, rules=rules)
        given = {"cwd": "/", "env": self.environment} | settings
        if "input" not in given:
            given["stdin"] = subprocess.DEVNULL
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, **given)

    def start(self, name: str, script: str, rules: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        """Start a shell script under a helper and return once it has said ``ready``."""
        command = self.command(name, "--", "/bin/sh", "-c", f"echo ready; {script}", rules=rules)
        pipe = subprocess.PIPE
        running = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd="/", env=self.environment
        )
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        return running

    def stand_in(self, body: str, folder: str = "bin", mode: int = 0o755) -> str:
        """Return an executable called ``bwrap`` that does what `body` says; ``$BWRAP`` is the real one."""
        path = self.root / folder / "bwrap"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\nBWRAP={self.bwrap}\n{body}\n", encoding="utf-8")
        path.chmod(mode)
        return str(path)
