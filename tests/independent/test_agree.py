# SPDX-License-Identifier: MIT
"""The model's oracle beside the one that walks the disk: they agree, and a model that is wrong is noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import pytest

from boxproof.model import access, admissible, walk
from tests.independent.compare import Tally
from tests.independent.spread import compare_drawn

CASES: Final = 400
FEW: Final = 96


def compared(cases: int) -> Tally:
    total = Tally()
    try:
        for part in compare_drawn(cases, seed=0, processes=1):
            total.add(part)
    except PermissionError as error:
        pytest.skip(f"no mount namespace on this host: {error}")
    return total


def test_the_oracles_agree() -> None:
    total = compared(CASES)
    assert total.differences == []
    assert total.cases >= CASES
    assert min(total.answers["allowed"], total.answers["denied"]) > 2 * CASES
    assert total.answers["open"] < total.answers.total() / 8
    assert len(total.reasons) >= 8


def outermost(real: str, rules: Mapping[str, str]) -> str | None:
    return next((rules[path] for path in reversed([*access.ancestry(real)]) if path in rules), None)


def from_the_farm(self: walk._Walk, name: str) -> walk.Error:
    """Take ``..`` as if it led to where the walk has come from, whatever link that was."""
    if name == ".." and self.links:
        self.at = walk.folder_of(self.links[-1])
        return ""
    return STEP(self, name)


def no_links(self: walk._Walk, link: str, text: str) -> walk.Error:
    self.links.append(link)
    self.at = link
    return "ENOENT" if text else ""


def all_apart(self: access.AccessMap, real: str) -> access.Effective:
    return self._nearest(real, self.rules) or self.default


STEP: Final = walk._Walk._step
WRONG: Final[Sequence[tuple[str, object, str, object]]] = (
    ("rw before ro", access, "_RANK", MappingProxyType({"deny": 0, "rw": 1, "ro": 2})),
    ("the widest rule wins", access.AccessMap, "_nearest", staticmethod(outermost)),
    ("dot dot is text", walk._Walk, "_step", from_the_farm),
    ("links lead nowhere", walk._Walk, "_cross", no_links),
    ("second mounts are apart", access.AccessMap, "of", all_apart),
    ("nothing is sure", admissible, "_surely_shown", lambda *_: False),
    ("a missing name may be made anywhere", admissible, "_creating", lambda *_: frozenset({"allowed"})),
)


@pytest.mark.parametrize(("where", "name", "wrong"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_wrong_model_is_noticed(monkeypatch: pytest.MonkeyPatch, where: object, name: str, wrong: object) -> None:
    monkeypatch.setattr(where, name, wrong)
    assert compared(FEW).count > 0
