# SPDX-License-Identifier: MIT
"""Small suites, small helpers, and one run of the plugin over them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

from tests.plugin.place import Place

CONFTEST = 'pytest_plugins = ["boxproof.plugin"]\n'
CAPABILITIES = (
    "deny",
    "listed-reads",
    "ro-rules",
    "rw-rules",
    "ro-cwd",
    "carve-out",
    "widening",
    "raw-names",
    "network-switch",
    "metadata",
)
DRIVEN: Mapping[str, Sequence[str]] = {
    "base": ["--die-with-parent", "--unshare-all"],
    "network-on": ["--share-net"],
    "network-off": [],
    "everything": ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    "tmp-closed": [],
    "tmp-writable": ["--bind", "{tmp}", "{tmp}"],
    "listed": ["--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"],
    "ro": ["--ro-bind", "{path}", "{path}"],
    "rw": ["--bind", "{path}", "{path}"],
    "deny-file": ["--ro-bind-data", "{null-fd}", "{path}"],
    "deny-folder": ["--tmpfs", "{path}", "--remount-ro", "{path}"],
    "cwd": ["--chdir", "{cwd}"],
    "end": ["--"],
}
"""The command line of bwrap, as an adapter file describes it; a stand-in hands its arguments through."""
DEADLINE = 60
"""Seconds for a launch, ample for a busy machine; with a deadline given no baseline is measured."""
GOOD = 'exec "$BWRAP" "$@"'
BARE = 'while [ "$1" != -- ]; do shift; done; shift; '
"""What a stand-in does to get at the command."""


@frozen
class Ran:
    """One run of pytest.

    Args:
        status: pytest's exit status.
        out: what it printed.
        err: what it printed on stderr.
        report: the JSON report, empty where none was written.
    """

    status: int
    out: str
    err: str
    report: Mapping[str, Any] = field(factory=dict)

    @property
    def rows(self) -> Mapping[str, Mapping[str, Any]]:
        """The results by their id."""
        return {row["id"]: row for row in self.report.get("results", ())}

    @property
    def row(self) -> Mapping[str, Any]:
        """The only result."""
        (row,) = self.report["results"]
        return dict(row)

    @property
    def kinds(self) -> list[str]:
        """The kinds of the only result's findings."""
        return [finding["kind"] for finding in self.row["findings"]]

    @property
    def verdicts(self) -> Mapping[str, str]:
        """The verdicts by id."""
        return {name: row["verdict"] for name, row in self.rows.items()}

    def text(self) -> list[str]:
        """Return the lines of the only failure that pytest printed."""
        lines = self.out.splitlines()
        start = next(number for number, line in enumerate(lines) if line.startswith("___"))
        rest = lines[start + 1 :]
        end = next(number for number, line in enumerate(rest) if line.startswith("==="))
        return rest[:end]


@frozen
class Suite:
    """A folder with a suite in it.

    Args:
        pytester: pytest's own, whose folder it is.
        place: where farms and helpers lie.
    """

    pytester: pytest.Pytester
    place: Place

    @property
    def path(self) -> Path:
        """The folder."""
        return self.pytester.path

    def helper(self, body: str = GOOD, name: str = "standin") -> Path:
        """Return a script that calls itself ``standin NAME`` and otherwise does what `body` says."""
        path = self.place.root / name
        told = f'[ "$1" = --version ] && {{ echo "standin {name}"; exit; }}'
        settings = f"BWRAP={shlex.quote(str(self.place.bwrap()))} OPEN={shlex.quote(str(self.place.open))}"
        path.write_text(f"#!/bin/sh\n{settings}\n{told}\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def adapter(
        self, *, without: Sequence[str] = (), capabilities: Sequence[str] = CAPABILITIES, **pieces: Sequence[str]
    ) -> Path:
        """Return an adapter file for stand-ins; `without` are pieces left out, `pieces` take the place of others."""
        changed = {key.replace("_", "-"): words for key, words in pieces.items()}
        argv = {key: words for key, words in {**DRIVEN, **changed}.items() if key not in without}
        lines = [
            'name = "standin"',
            'version = ["--version"]',
            r"version-pattern = 'standin (\S+)'",
            f"capabilities = {json.dumps(list(capabilities))}",
            "[argv]",
            *(f"{key} = {json.dumps(list(words))}" for key, words in argv.items()),
        ]
        path = self.path / "standin.toml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def write(self, text: str, name: str = "case.toml") -> Path:
        """Return a file with this text."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *arguments: str | Path, apart: bool = False) -> Ran:
        """Run pytest, with farms at their place and a report; `apart`: in a process of its own."""
        report = self.path / "run.json"
        report.unlink(missing_ok=True)
        own = [f"--farm-root={self.place.farms}", f"--report={report}", f"--launch-timeout={DEADLINE}", "--no-header"]
        words = [*own, "-p", "no:cacheprovider", *arguments]
        run = self.pytester.runpytest_subprocess if apart else self.pytester.runpytest_inprocess
        result = run(*map(str, words))
        written = json.loads(report.read_text("utf-8")) if report.exists() else {}
        return Ran(int(result.ret), result.stdout.str(), result.stderr.str(), written)

    def drive(self, body: str, *arguments: str | Path, apart: bool = False) -> Ran:
        """Run the suite over a stand-in that does what `body` says."""
        helper, adapter = self.helper(body), self.path / "standin.toml"
        own = [f"--helper={helper}", f"--adapter={adapter if adapter.exists() else self.adapter()}"]
        return self.run(*own, *arguments, apart=apart)
