# SPDX-License-Identifier: MIT
"""A helper is judged in an image as on the host, and a report says what it was judged in."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.containers.conftest import ROOT, Ran

pytestmark = pytest.mark.containers
SOME = "START-1 or BIND-8 or MASK-2 or MASK-4 or NAME-2 or CONF-1"
"""Ordinary cases, mounts, masks, overlays, odd names, and policies that are refused."""
CODEX = ROOT / ".cache" / "vendors" / "codex-0.171.0"


def test_the_reference_meets_its_requirements(judged: Callable[..., Ran], image: Callable[[str], str]) -> None:
    ran = judged(f"--ground=container:{image('debian')}", "--helper=reference", "-k", SOME)
    assert ran.status == pytest.ExitCode.OK, ran.out
    if os.geteuid() == 0:
        assert set(ran.verdicts.values()) == {"pass"}
    (row,) = ran.report["grounds"]
    assert (row["name"], row["given"], row["evidence"]) == ("debian-image", "container:debian", "image")
    assert {result["evidence"] for result in ran.report["results"]} == {"image"}
    assert {"engine", "flags", "digest", "base", "base-digest", "bwrap", "links", "python"} <= row["about"].keys()


def test_certificates_are_judged_at_their_paths(judged: Callable[..., Ran], image: Callable[[str], str]) -> None:
    ran = judged(f"--ground=container:{image('debian')}", "--helper=reference", "-k", "ca-debian-12")
    assert ran.status == pytest.ExitCode.OK, ran.out
    assert any("dangling" in name for name in ran.verdicts)
    assert set(ran.verdicts.values()) == {"pass"}


def test_a_released_helper_is_judged_as_on_the_host(judged: Callable[..., Ran], image: Callable[[str], str]) -> None:
    found = [path for path in CODEX.glob("package/vendor/*/bin/codex") if path.is_file()]
    if not found:
        pytest.skip("codex 0.171.0 is not here: tox -e vendors fetches it")
    chosen = (f"--helper={found[0]}", "--profile=all", "-k", SOME)
    inside = judged(f"--ground=container:{image('debian')}", *chosen)
    outside = judged("--ground=host", *chosen)
    assert {name: inside.verdicts[name] for name in outside.verdicts} == outside.verdicts


def test_an_image_that_is_not_here_is_a_usage_error(judged: Callable[..., Ran], image: Callable[[str], str]) -> None:
    image("debian")
    ran = judged("--ground=container:no/such:1")
    assert ran.status == pytest.ExitCode.USAGE_ERROR
