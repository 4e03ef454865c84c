# SPDX-License-Identifier: MIT
"""Each row of an image's layout is as the image has it; what else the suite relies on is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from boxproof.model.row import Row
from tests.audit.conftest import Audited, record, seen
from tests.audit.image import difference

pytestmark = pytest.mark.containers


def test_a_row_is_as_the_image_has_it(audited_image: Audited, row: Row) -> None:
    wrong = difference(row, seen(audited_image)[row.path], audited_image.layout.name)
    if wrong:
        pytest.fail(f"{audited_image.place.image.reference} differs from its layout\n{wrong}", pytrace=False)


def test_what_it_has_is_recorded(audited_image: Audited, record_property: Callable[[str, object], None]) -> None:
    facts = record(audited_image)
    for key, value in facts.items():
        record_property(f"{audited_image}.{key}", value)
    assert {"distribution", "bwrap", "python", "util-linux", "links"} <= facts.keys()
    assert facts["links"] in {"refuse", "escape", "follow"}
    assert "fresh-proc" in facts["forms"]
