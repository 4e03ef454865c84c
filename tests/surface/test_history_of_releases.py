# SPDX-License-Identifier: MIT
"""Two public regressions are found over the pinned releases; run by ``tox -e vendors``, which fetches them."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from boxproof.cli import main
from tests.vendors.fetch import CACHE

BUBBLEWRAP = "--helper-env=CURSOR_SANDBOX_LINUX_BACKEND=bubblewrap"


@pytest.mark.vendors
@pytest.mark.parametrize(
    ("case", "helpers", "options", "says"),
    (
        (
            "BIND-1[ca-tls-certs]",
            "cursorsandbox-*/package/bin/cursorsandbox",
            (BUBBLEWRAP,),
            "broke between 1.0.18 and 1.0.28; the newest, 1.0.32, fails",
        ),
        (
            "MASK-2[alias-pair-relative-file]",
            "codex-*/package/vendor/*/*/codex",
            (),
            "broke between 0.118.0 and 0.171.0; the newest, 0.171.0, fails",
        ),
    ),
)
def test_it_is_found_where_a_release_broke(case: str, helpers: str, options: tuple[str, ...], says: str) -> None:
    if not list(CACHE.glob(helpers)):
        pytest.skip(f"{CACHE / helpers} matches nothing: run python -m tests.vendors.fetch")
    done = CliRunner().invoke(main, ["history", case, f"--helper-glob={CACHE / helpers}", *options])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, says), done.output
