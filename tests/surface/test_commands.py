# SPDX-License-Identifier: MIT
"""``boxproof list layouts`` and ``boxproof doctor``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from boxproof.cli import main
from boxproof.errors import GroundError

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "layouts.md"


def said(*words: str) -> str:
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_page_of_the_layouts_is_current() -> None:
    """Where this fails: boxproof list layouts --markdown >docs/reference/layouts.md"""
    assert said("list", "layouts", "--markdown") == PAGE.read_text("utf-8")


def test_each_layout_is_listed_on_a_line() -> None:
    lines = said("list", "layouts").splitlines()
    assert [line.split()[0] for line in lines] == sorted(
        path.stem for path in (PAGE.parents[2] / "containers" / "layouts").glob("*.toml")
    )
    assert next(line for line in lines if line.startswith("el10 ")).endswith("; unverified)")


def test_the_doctor_says_each_thing_on_a_line() -> None:
    lines = said("doctor").splitlines()
    assert {line.partition(" ")[0] for line in lines} <= {"yes", "no"}
    for name in (
        "launches",
        "farms",
        "user namespaces",
        "mount namespaces",
        "fresh /proc",
        "layouts",
        "Landlock",
        "bwrap",
    ):
        assert any(line[5:].startswith(f"{name} ") for line in lines), name


def test_the_doctor_says_the_same_in_json() -> None:
    checks = json.loads(said("doctor", "--json"))
    assert [check["name"] for check in checks] == [line[5:24].rstrip() for line in said("doctor").splitlines()]
    assert all(isinstance(check["able"], bool) and check["says"] for check in checks)


def test_the_doctor_says_why_something_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise GroundError("this host allows no mounts for the farm", cause="mount: EPERM")

    monkeypatch.setattr("boxproof.grounds.launch.Launcher.start", refuse)
    checks = {check["name"]: check for check in json.loads(said("doctor", "--json"))}
    assert not checks["layouts"]["able"]
    assert checks["layouts"]["says"] == (
        "no layout can be laid: mount: EPERM; cases about certificate paths are not applicable"
    )
    assert not checks["mount namespaces"]["able"]


def test_without_a_place_for_farms_the_doctor_says_so_and_ends(tmp_path: Path) -> None:
    checks = json.loads(said("doctor", "--json", f"--farm-root={tmp_path}"))
    assert [(check["name"], check["able"]) for check in checks] == [("launches", True), ("farms", False)]
