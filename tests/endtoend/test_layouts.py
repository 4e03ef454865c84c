# SPDX-License-Identifier: MIT
"""A run in a distribution's layout, to its end or cut short: nothing of it stays mounted, running or on the disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.endtoend.test_interrupt import HANGS, in_the_middle
from tests.plugin.cases import case_text, module_text
from tests.plugin.place import SECONDS
from tests.plugin.suite import GOOD, Suite

HANGS_INSIDE = """
exec 3>"$OPEN/started"
"$BWRAP" --unshare-all --ro-bind / / --dev /dev sh -c 'echo started >&3; sleep 1000' &
trap '' TERM INT HUP; wait"""
"""Hangs with a sandbox below it, which has a /dev of its own."""
ABOVE = """layout = "el9"
above = '''
/etc/ssl/ folder
/etc/ssl/cert.pem -> /etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem
/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem file
'''
"""
ROOT = Path(__file__).parents[2]
READS = ("read /etc/ssl/cert.pem: allowed", "write ws/file: allowed")
DANGLING = ABOVE.replace("tls-ca-bundle.pem\n", "gone.pem\n", 1).replace("tls-ca-bundle.pem file", "gone.pem absent")


def about(slug: str, extra: str = ABOVE, rules: tuple[str, ...] = ("rw ws",)) -> str:
    return case_text(slug, "BIND-1", rules=rules, probes=READS if extra == ABOVE else READS[1:], extra=extra)


def run(suite: Suite, *arguments: str) -> dict[str, str]:
    ran = suite.drive(GOOD, "-p", "no:xdist", *arguments)
    if any("no layout can be laid" in row["reason"] for row in ran.rows.values()):
        pytest.skip("this host allows no layout")
    assert {(row["ground"], row["evidence"]) for row in ran.rows.values()} <= {
        ("host", "host"),
        ("el9-layout", "layout"),
    }
    return dict(ran.verdicts)


def test_a_case_about_a_layout_finds_its_ground(suite: Suite) -> None:
    suite.write(about("one"), "cases/one.toml")
    suite.write(case_text("two", rules=("rw ws",)), "cases/two.toml")
    assert run(suite) == {"BIND-1[one]": "pass", "MASK-1[two]": "pass"}


def test_rows_of_a_case_take_the_place_of_the_layouts(suite: Suite) -> None:
    suite.write(about("one", DANGLING), "cases/one.toml")
    suite.write(about("two"), "cases/two.toml")
    assert run(suite) == {"BIND-1[one]": "pass", "BIND-1[two]": "pass"}


def test_a_rule_through_a_link_of_the_layout_fails_where_the_engine_takes_none(suite: Suite) -> None:
    suite.write(about("one", rules=("rw ws", "ro /etc/ssl/cert.pem")), "cases/one.toml")
    ran = suite.drive(GOOD)
    if ran.row["verdict"] == "not-applicable":
        pytest.skip(ran.row["reason"])
    assert ran.kinds == ["no-start"]
    assert "--ground=layout:el9" in ran.row["replay"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write there, whoever lays the layout")
def test_what_a_helper_writes_above_the_farm_is_a_host_change(suite: Suite) -> None:
    suite.write(about("one"), "cases/one.toml")
    ran = suite.drive('"$BWRAP" "$@"; echo x >/etc/ssl/left', "--run-as=root")
    assert ("host-change", "/etc/ssl/left") in [(found["kind"], found["path"]) for found in ran.row["findings"]]


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder on a mount of its own: an overlay has FIFOs of its own, whatever lies below it."""
    with tempfile.TemporaryDirectory(prefix="b-", dir="/dev/shm") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.mark.parametrize("body", (HANGS, HANGS_INSIDE), ids=["helper", "sandbox"])
@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM, signal.SIGKILL), ids=lambda number: number.name)
def test_a_signal_in_the_middle_of_a_launch(suite: Suite, shared: Path, number: signal.Signals, body: str) -> None:
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    body = f"OPEN={shared}\n{body}"
    with in_the_middle(suite, body, "--ground=layout:el9", place=shared) as process:
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
        assert process.returncode != 0
    assert suite.place.left() == []


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGKILL), ids=lambda number: number.name)
def test_with_workers_and_several_grounds(suite: Suite, shared: Path, number: signal.Signals) -> None:
    suite.write(module_text(case_text("one"), case_text("two")), "test_mask.py")
    words = ("-p", "xdist", "-n", "2", "--ground=host", "--ground=layout:el9", "--ground=layout:silverblue")
    with in_the_middle(suite, f"OPEN={shared}\n{HANGS}", *words, place=shared) as process:
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
    assert suite.place.left() == []


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGKILL), ids=lambda number: number.name)
@pytest.mark.parametrize("line", ("collected ", "START-1", "START-2", "BIND-3"), ids=lambda line: line.strip())
def test_a_signal_at_other_moments(suite: Suite, number: signal.Signals, line: str) -> None:
    """The first case follows the line on collected items, so that the signal may come while the layout is laid."""
    words = ["-v", "-k", "ca-el9", "--ground=layout:el9", f"--farm-root={suite.place.farms}", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-c", f"{ROOT}/pyproject.toml", f"{ROOT}/conformance/test_ca.py", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert any(line in said for said in process.stdout)
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
    assert suite.place.left() == []
