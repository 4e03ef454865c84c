# SPDX-License-Identifier: MIT
"""The columns of the matrix: each pinned release with each backend that a user can choose, and what is on PATH."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import field, frozen

from boxproof.errors import HelperError
from boxproof.helpers.registry import adapters, find
from boxproof.report.json import Report
from boxproof.surface.files import read_report_file
from tests.vendors.fetch import fetch
from tests.vendors.pins import ROOT, FetchError, Vendor

KNOWN: Final = ROOT / "conformance" / "known"
UNPINNED: Final = ("bwrap", "firejail", "mkosi-sandbox")
"""Helpers that are taken from PATH, since no registry has a package of them that could be pinned."""
_RUN: Final = (sys.executable, "-c", "from boxproof.cli import main; main()", "run")
_SECONDS: Final = 1800
_JUDGED: Final = frozenset({0, 1})
"""Statuses of a run that came to its end."""


@frozen
class Column:
    """One release with one backend.

    Args:
        name: such as ``cursorsandbox-1.0.32-landlock``; that of the file that says what is known of it.
        binary: the helper.
        adapter: what drives it.
        env: chooses the backend.
    """

    name: str
    binary: Path
    adapter: str
    env: Mapping[str, str] = field(factory=dict)

    @property
    def known(self) -> Path:
        """The file that says what is known of it."""
        return KNOWN / f"{self.name}.toml"

    def command(self, out: Path) -> list[str]:
        """Return the command line of its run, which writes below `out`."""
        # examples differ with every change of a strategy, and a file of known bugs would follow them
        words = [f"--helper={self.binary}", f"--adapter={self.adapter}", "--profile=required", "--examples=0"]
        words += [f"--helper-env={name}={value}" for name, value in self.env.items()]
        words += [f"--baseline={self.known}"] if self.known.is_file() else []
        return [*_RUN, *words, f"--report={out / self.name}.json", f"--cases-out={out / self.name}"]


@frozen
class NotRun:
    """A column without results, which is never a pass; `reason` on one line."""

    name: str
    reason: str


def columns(vendors: Sequence[Vendor], cache: Path) -> Iterator[Column | NotRun]:
    """Iterate over the columns of pinned releases, fetched now where they are not in the cache."""
    for vendor in vendors:
        try:
            binary = fetch(vendor, cache)
        except (FetchError, OSError) as error:
            yield NotRun(vendor.key, str(error))
            continue
        (adapter,) = (each for each in adapters() if each.name == vendor.adapter)
        backends = adapter.documented.choices
        for backend in backends:
            env = {adapter.documented.chosen_by: backend}
            yield Column(f"{vendor.key}-{backend}", binary, vendor.adapter, env)
        if not backends:
            yield Column(vendor.key, binary, vendor.adapter)


def on_path(names: Sequence[str]) -> Iterator[Column]:
    """Iterate over the columns of helpers that come with a distribution: none where nothing is known of the version."""
    for name in UNPINNED:
        if names and name not in names:
            continue
        try:
            adapter, helper = find(name, name, {})
        except HelperError:
            continue
        column = Column(helper.name.replace("~", "-"), Path(helper.path), adapter.name)
        if column.known.is_file():
            yield column


def run(column: Column, out: Path) -> Report | NotRun:
    """Run the suite and return what it reports, under the column's name."""
    log = out / f"{column.name}.log"
    report = log.with_suffix(".json")
    report.unlink(missing_ok=True)
    with log.open("wb") as file:
        try:
            done = subprocess.run(
                column.command(out), cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            return NotRun(column.name, f"no end within {_SECONDS} s; see {log}")
    if done.returncode not in _JUDGED or not report.is_file():
        said = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
        return NotRun(column.name, f"status {done.returncode}: {said[-1] if said else 'nothing was said'}")
    return read_report_file(report)
