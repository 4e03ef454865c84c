# SPDX-License-Identifier: MIT
"""What the end-to-end tests share: a farm of files with tokens, and the reference helper started as a given uid."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import stat
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs

DEADLINE = 30.0
"""Seconds after which a launch counts as hung; an ordinary one takes a tenth of a second."""

CROSSED = (("root", "system"), ("user", "packaged"))
"""Pairs of caller and bwrap for tests with many shapes of their own: each caller and each bwrap once, not all four."""

Rules = Sequence[tuple[str, str]]
"""Pairs of access word and absolute path, in the order of the policy file."""


@attrs.frozen
class Outcome:
    """How a launch ended: status (negative for a signal), and what it wrote."""

    status: int
    out: bytes
    err: bytes

    @property
    def refused(self) -> bool:
        """Whether the helper said no in its one way."""
        return (
            self.status == 125 and self.err.count(b"\n") == 1 and self.err.startswith(b"boxproof-reference: refused: ")
        )


@attrs.frozen
class Caller:
    """Who starts the helper: its uid and gid, and the fields that `subprocess` needs to become it."""

    name: str
    uid: int

    def credentials(self) -> dict[str, Any]:
        """Arguments for `subprocess.Popen`; none when the tests run as this caller already."""
        return {} if self.uid == os.geteuid() else {"user": self.uid, "group": self.uid, "extra_groups": []}


class Farm:
    """A folder of the caller's with files that each hold their own token. Paths are absolute strings."""

    def __init__(self, root: Path, caller: Caller) -> None:
        self.root = str(root)
        self._caller = caller
        self._own(self.root)

    def path(self, name: str) -> str:
        """The path of `name` in the farm, as it is written."""
        return f"{self.root}/{name}"

    def folder(self, name: str) -> str:
        """A folder, with those above it."""
        path = self.path(name)
        parents = [path]
        while not os.path.isdir(os.path.dirname(parents[-1])):
            parents.append(os.path.dirname(parents[-1]))
        for parent in reversed(parents):
            with contextlib.suppress(FileExistsError):
                os.mkdir(parent, 0o755)
                self._own(parent)
        return path

    def file(self, name: str, mode: int = 0o644) -> str:
        """A file with a token of its own."""
        path = self.path(name)
        self.folder(os.path.dirname(name)) if "/" in name else None
        Path(path).write_text(secrets.token_hex(8) + "\n", encoding="ascii")
        os.chmod(path, mode)
        self._own(path)
        return path

    def link(self, name: str, text: str) -> str:
        """A symbolic link with exactly this text."""
        self.folder(os.path.dirname(name)) if "/" in name else None
        os.symlink(text, self.path(name))
        self._own(self.path(name))
        return self.path(name)

    def socket(self, name: str) -> str:
        """A listening socket's file, with nobody behind it."""
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(self.path(name))
        self._own(self.path(name))
        return self.path(name)

    def read(self, path: str) -> bytes:
        """What the host has at `path`, without its line feed."""
        return Path(path).read_bytes().rstrip(b"\n")

    def listing(self) -> dict[str, tuple[int, int, bytes]]:
        """Every name in the farm: type and mode, owner, and link text or content."""
        return {path: _facts(path) for path in sorted(_walk(self.root))}

    def _own(self, path: str) -> None:
        if self._caller.uid != os.geteuid():
            os.chown(path, self._caller.uid, self._caller.uid, follow_symlinks=False)


@attrs.frozen
class Helper:
    """The reference helper, ready to be started: interpreter, its code, bwrap, caller, and a place for policies."""

    interpreter: str
    code: str
    bwrap: str
    caller: Caller
    policies: Path

    def command(self, policy: dict[str, object] | str, options: Sequence[str], command: Sequence[str]) -> list[str]:
        """The argument vector; a policy given as an object is written to a file first."""
        path = policy if isinstance(policy, str) else self.written(json.dumps(policy).encode())
        start = [self.interpreter, "-I", "-S", self.code, "--policy", path, "--bwrap", self.bwrap, *options]
        return [*start, "--", *command] if command else start

    def written(self, text: bytes) -> str:
        """A policy file with this content."""
        path = self.policies / f"policy-{secrets.token_hex(6)}.json"
        path.write_bytes(text)
        path.chmod(0o644)
        return str(path)

    def run(
        self,
        policy: dict[str, object] | str,
        *command: str,
        options: Sequence[str] = (),
        **popen: Any,  # noqa: ANN401 - whatever `subprocess.run` takes
    ) -> Outcome:
        """Launch and wait; more arguments go to `subprocess.run`."""
        settings: dict[str, Any] = (
            {"stdin": subprocess.DEVNULL, "env": environment(), "cwd": "/"} | self.caller.credentials() | popen
        )
        done = subprocess.run(
            self.command(policy, options, command), capture_output=True, timeout=DEADLINE, check=False, **settings
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def sh(
        self,
        policy: dict[str, object] | str,
        script: str,
        *arguments: str,
        **popen: Any,  # noqa: ANN401 - as `run`
    ) -> Outcome:
        """Run a shell script in the sandbox, with arguments that reach it unquoted."""
        return self.run(policy, "/bin/sh", "-c", script, "sh", *arguments, **popen)

    def outside(self, script: str, *arguments: str) -> Outcome:
        """The control: the same script as the same caller, without a sandbox."""
        done = subprocess.run(
            ["/bin/sh", "-c", script, "sh", *arguments],
            capture_output=True, timeout=DEADLINE, check=False, env=environment(), cwd="/", **self.caller.credentials(),
        )  # fmt: skip
        return Outcome(done.returncode, done.stdout, done.stderr)


def policy(cwd: str, rules: Rules, **more: object) -> dict[str, object]:
    """A policy file's content."""
    return {"cwd": cwd, "rules": [{"path": path, "access": access} for access, path in rules], **more}


def environment() -> dict[str, str]:
    """A small environment that is the same on every machine."""
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}


def remove(root: str) -> None:
    """Remove a tree, whatever modes it was left with."""
    for folder, _, _ in os.walk(root, onerror=lambda error: _open(error.filename)):
        _open(folder)
    for folder, _, _ in os.walk(root):
        _open(folder)
    shutil.rmtree(root)


def _open(folder: str) -> None:
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)


def _walk(root: str) -> Iterable[str]:
    for folder, folders, files in os.walk(root):
        yield folder
        yield from (os.path.join(folder, name) for name in files)
        yield from (os.path.join(folder, name) for name in folders if os.path.islink(os.path.join(folder, name)))


def _facts(path: str) -> tuple[int, int, bytes]:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return status.st_mode, status.st_uid, os.fsencode(os.readlink(path))
    return status.st_mode, status.st_uid, Path(path).read_bytes() if stat.S_ISREG(status.st_mode) else b""
