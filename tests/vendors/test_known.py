# SPDX-License-Identifier: MIT
"""The pinned releases do what they are known to do; run by ``tox -e vendors``, which fetches them first."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.vendors.fetch import CACHE
from tests.vendors.pins import ROOT, read_list

AREAS = {"START": "start", "BIND": "bind", "NEST": "nest", "MASK": "mask", "ESC": "esc", "NAME": "name", "CONF": "conf"}
KNOWN = tomllib.loads((Path(__file__).parent / "known.toml").read_text(encoding="utf-8"))["known"]


def name_of(known: dict[str, Any]) -> str:
    repeat = [f"x{known['repeat']}"] if "repeat" in known else []
    ground = [known["ground"].replace(":", "-")] if "ground" in known else []
    return "-".join([known["helper"], *known.get("env", {}).values(), *repeat, *ground])


def node_of(case: str, known: dict[str, Any]) -> str:
    module = known.get("module") or AREAS[case.partition("-")[0]]
    return f"conformance/test_{module}.py::{case}"


def seen(row: dict[str, Any]) -> str:
    if row["verdict"] != "fail":
        return str(row["verdict"])
    return str(row["findings"][0]["kind"])


@pytest.mark.vendors
@pytest.mark.parametrize("known", [pytest.param(known, id=name_of(known)) for known in KNOWN])
def test_a_release_does_what_it_is_known_to_do(known: dict[str, Any], tmp_path: Path) -> None:
    vendors = {vendor.key: vendor for vendor in read_list()}
    binary = CACHE / known["helper"] / vendors[known["helper"]].binary
    if not binary.is_file():
        pytest.skip(f"{binary} is not there: run python -m tests.vendors.fetch")
    report = tmp_path / "report.json"
    options = [f"--helper-env={key}={value}" for key, value in known.get("env", {}).items()]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--helper={binary}", *options]
    command += [f"--ground={known['ground']}"] if "ground" in known else []
    command += [f"--repeat={known.get('repeat', 1)}", f"--report={report}", f"--cases-out={tmp_path / 'out'}"]
    nodes = [node_of(case, known) for case in known["results"]]
    done = subprocess.run([*command, *nodes], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert report.is_file(), done.stdout + done.stderr
    rows = json.loads(report.read_text(encoding="utf-8"))["results"]
    assert {row["id"]: seen(row) for row in rows} == known["results"]
