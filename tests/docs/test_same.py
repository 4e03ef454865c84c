# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from tests.docs.same import difference


@pytest.mark.parametrize(
    ("shown", "printed"),
    (
        ("one\ntwo\n", "one\ntwo\n"),
        ("...\nlast\n", "one\ntwo\nlast\n"),
        ("first\n...\nlast\n", "first\nlast\n"),
        ("refused: ... (a reason)\n", "refused: /some/path (a reason)\n"),
        ("=== 2 failed, 9 deselected in 4.30s ===\n", "===== 2 failed, 12 deselected in 61.00s (0:01:01) =====\n"),
        ("sh: /var/cache/boxproof-ab12cd_4/farm/x\n", "sh: /home/u/.cache/boxproof-zz99zz99/farm/x\n"),
        ("a.py FF    [100%]\n", "a.py FF           [100%]\n"),
        (f"version 1.2, sha256 {'a' * 16}\n", f"version unknown, sha256 {'b' * 16}\n"),
    ),
)
def test_what_is_the_same(shown: str, printed: str) -> None:
    assert difference(shown, printed) == ""


@pytest.mark.parametrize(
    ("shown", "printed"),
    (
        ("one\n", "one\ntwo\n"),
        ("one\n...\nlast\n", "one\ntwo\n"),
        ("reference: 1 pass\n", "reference: 2 pass\n"),
        ("a.py FF    [100%]\n", "a.py F.    [100%]\n"),
        ("=== 2 failed in 4.30s ===\n", "=== 3 failed in 4.30s ===\n"),
    ),
)
def test_what_is_not(shown: str, printed: str) -> None:
    assert difference(shown, printed)
