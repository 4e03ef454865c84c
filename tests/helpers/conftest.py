# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from boxproof.helpers.base import Lead, Places
from boxproof.model.policy import Policy, parse_rule

Script: TypeAlias = Callable[..., Path]


def policy_of(*rules: str, cwd: str = "/f/ws", reads: str = "everything", tmp: str = "closed") -> Policy:
    """Return a policy with absolute spellings."""
    return Policy(cwd, tuple(map(parse_rule, rules)), reads=reads, tmp=tmp)  # type: ignore[arg-type]


def places_of(**leads: Lead) -> Places:
    """Return places with a workspace, and leads by the last name of their spelling below the farm."""
    known = {"/f/ws": Lead("folder", "/f/ws", "/f")} | {f"/f/{name}": lead for name, lead in leads.items()}
    return Places("/f", "/home", "/scratch", "/files", known)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Return a maker of executable scripts."""

    def make(body: str, name: str = "helper", first: str = "#!/bin/sh") -> Path:
        path = tmp_path / name
        path.write_text(f"{first}\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return make
