# SPDX-License-Identifier: MIT
"""Arrivals are counted where they arrive, and objects that are no files are seen."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxproof.grounds.listeners import listening
from boxproof.grounds.shared import mounts_of, shared_by


@pytest.fixture(params=("tcp", "udp", "abstract"))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def reach(kind: str, address: str) -> None:
    family = socket.AF_UNIX if kind == "abstract" else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM) as client:
        client.connect(f"\0{address}" if kind == "abstract" else ("127.0.0.1", int(address)))
        client.send(b"b")


def test_each_arrival_is_counted_once(kind: str) -> None:
    with listening() as listeners:
        assert listeners.arrived()[kind] == 0
        for _ in range(2):
            reach(kind, listeners.address(kind))
        assert listeners.arrived() == {"tcp": 0, "udp": 0, "abstract": 0, kind: 2}
        assert listeners.arrived()[kind] == 0


def test_nobody_listens_afterwards(kind: str) -> None:
    with listening() as listeners:
        address = listeners.address(kind)
    if kind != "udp":
        with pytest.raises(ConnectionRefusedError):
            reach(kind, address)


@pytest.fixture
def named() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(dir="/dev/shm"))
    yield path
    shutil.rmtree(path)


def test_posix_shared_memory_is_seen(named: Path) -> None:
    assert str(named) in shared_by(os.getuid())
    assert str(named) not in shared_by(os.getuid() + 1)


def test_mounts_are_those_of_a_process() -> None:
    assert any(mount.split()[1] == "/" for mount in mounts_of(Path("/proc/self")))
    assert mounts_of(Path("/proc/self"), "/no/such") == frozenset()
    assert mounts_of(Path("/proc/0")) == frozenset()
