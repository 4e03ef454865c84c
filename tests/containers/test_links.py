# SPDX-License-Identifier: MIT
"""Three releases of Debian, three of bubblewrap: what each does with a link as the destination of a mount."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.containers.conftest import Ran

pytestmark = pytest.mark.containers
CASES = (
    "ro-absolute-file",
    "ro-relative-file",
    "ro-surplus-file",
    "ro-linked-parent-absolute-file",
    "ro-linked-parent-file",
)
ESCAPE = ("fail", "pass", "fail", "fail", "pass")
"""Absolute links, and those that leave the root on their way, are followed out of it, where nothing is."""
REFUSE = ("fail", "fail", "fail", "pass", "pass")
"""A link as last component is refused, one before it is followed inside."""


@pytest.mark.parametrize(
    ("name", "known", "verdicts"),
    (
        ("localhost/boxproof/debian-11", ("0.4.1", "escape"), ESCAPE),
        ("debian", ("0.8.0", "escape"), ESCAPE),
        ("localhost/boxproof/debian-13", ("0.12.0", "refuse"), REFUSE),
    ),
)
def test_what_becomes_of_a_link(
    judged: Callable[..., Ran],
    image: Callable[[str], str],
    name: str,
    known: tuple[str, str],
    verdicts: tuple[str, ...],
) -> None:
    asked = " or ".join(f"BIND-1[{case}]" for case in CASES)
    ran = judged(f"--ground=container:{image(name)}", "--helper=/usr/bin/bwrap", "-k", asked)
    about = ran.report["grounds"][0]["about"]
    assert (about["bwrap"], about["links"]) == known
    assert ran.report["helpers"][0]["version"] == known[0]
    assert tuple(ran.verdicts[f"BIND-1[{case}]"] for case in CASES) == verdicts
