# SPDX-License-Identifier: MIT
"""Recorded cases that no known-bad helper fails as the report says: a pinned release does."""

from __future__ import annotations

import json
import operator
import subprocess
import sys
from pathlib import Path

import pytest

from tests.known_bad.recorded import Row, rows
from tests.vendors.fetch import CACHE
from tests.vendors.pins import ROOT, read_list

BY_RELEASE = [row for row in rows() if row.by and not row.known_bad]


@pytest.mark.vendors
@pytest.mark.parametrize("row", BY_RELEASE, ids=operator.attrgetter("name"))
def test_a_release_fails_the_case(row: Row, tmp_path: Path) -> None:
    binary = CACHE / row.by / {vendor.key: vendor for vendor in read_list()}[row.by].binary
    if not binary.is_file():
        pytest.skip(f"{binary} is not there: run python -m tests.vendors.fetch")
    report = tmp_path / "report.json"
    options = [f"--helper={binary}", f"--case={row.path}", f"--report={report}", f"--cases-out={tmp_path / 'out'}"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert report.is_file(), done.stdout + done.stderr
    (result,) = json.loads(report.read_text(encoding="utf-8"))["results"]
    assert result["verdict"] == "fail"
