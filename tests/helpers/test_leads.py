# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from boxproof.helpers.base import Lead, Places
from boxproof.helpers.leads import access_of_cwd, leads_of
from boxproof.model.policy import Policy, Rule
from tests.helpers.conftest import places_of, policy_of


@pytest.fixture
def farm(tmp_path: Path) -> str:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").touch()
    (tmp_path / "alias").symlink_to("real")
    (tmp_path / "file-link").symlink_to("real/file")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    return str(tmp_path.resolve())


@pytest.mark.parametrize(
    ("name", "kind", "real", "parent"),
    (
        ("real", "folder", "/real", ""),
        ("alias", "folder", "/real", ""),
        ("alias/file", "file", "/real/file", "/real"),
        ("file-link", "file", "/real/file", ""),
        ("dangling", "missing", None, ""),
        ("loop", "missing", None, ""),
        ("real/file/", "missing", None, "/real/file"),
        ("nowhere/file", "missing", None, None),
        ("alias/../real", "folder", "/real", ""),
    ),
)
def test_a_lead_is_what_stat_says(farm: str, name: str, kind: str, real: str | None, parent: str | None) -> None:
    spelling = f"{farm}/{name}"
    found = leads_of(Policy(farm, (Rule("ro", spelling),)))
    paths = ["" if path is None else f"{farm}{path}" for path in (real, parent)]
    assert found[spelling] == Lead(kind, *paths)  # type: ignore[arg-type]
    assert found[farm].kind == "folder"


def test_the_root_of_another_process_is_not_part_of_a_lead(farm: str) -> None:
    spelling = "/alias"
    assert leads_of(Policy("/", (Rule("ro", spelling),)), farm)[spelling] == Lead("folder", "/real", "/")


def test_the_nearest_rule_gives_the_access_of_the_working_folder() -> None:
    policy = policy_of("ro /f", "rw /f/alias", "deny /f/wsx", cwd="/f/ws")
    assert access_of_cwd(policy, places_of()) == "ro"
    assert access_of_cwd(policy, places_of(alias=Lead("folder", "/f/ws", "/f"))) == "rw"
    assert access_of_cwd(Policy("/f/ws"), Places("/f", "", "", "")) is None
    assert access_of_cwd(policy_of("rw /"), places_of()) == "rw"
