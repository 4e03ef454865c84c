# SPDX-License-Identifier: MIT
"""The table as a page; ``python -m tests.known_bad.page`` writes it anew."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import Final

from boxproof.known_bad.entry import KnownBad
from boxproof.known_bad.table import table
from tests.known_bad.bench import by_any_requirement

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "known-bad.md"
HEAD: Final = """\
# Known-bad helpers

<!-- Written by `python -m tests.known_bad.page`; change the package boxproof.known_bad instead. -->

Helpers that are wrong on purpose. Each is the reference helper with exactly one of its functions replaced, and most are
modelled on a public report. They show that the suite finds what it is for:

```sh
boxproof list known-bad
pytest --helper=known-bad:order-sensitive -k NEST-1
```

Tests hold each one against the requirement that is named for it, which must catch it, and `tox -e known-bad` against
all others, of which only those under "also" may. Requirements in *italics* have no hand-written cases yet; there, tests
show that the helper differs from the reference where the requirement will look. FALL-2 is about helpers that have two
ways to confine; the reference has one, so tests drive it, and the helper that is caught there, as if it had another.
`landlock-best-effort` is driven as one that confines by Landlock alone.
"""
COLUMNS: Final = """\
| name | caught by | also | in place of | what it does wrong | modelled on |
| --- | --- | --- | --- | --- | --- |
"""


def page() -> str:
    """Return the page."""
    areas = groupby(table(), key=lambda bad: bad.replacement.__module__)
    return "\n".join([HEAD, *(_area(module, tuple(bads)) for module, bads in areas)])


def _area(module: str, bads: tuple[KnownBad, ...]) -> str:
    title = (sys.modules[module].__doc__ or "").rstrip(".")
    return f"## {title}\n\n{COLUMNS}{''.join(map(_row, bads))}"


def _row(bad: KnownBad) -> str:
    caught = bad.caught if bad.caught in by_any_requirement() else f"*{bad.caught}*"
    cells = (f"`{bad.name}`", caught, " ".join(bad.related), f"`{bad.replaced}`", bad.line.rstrip("."), bad.mimics)
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
