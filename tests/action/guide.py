# SPDX-License-Identifier: MIT
"""The files for CI systems that the guide shows."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

GUIDE: Final = Path(__file__).parents[2] / "docs" / "how-to" / "gate-a-release.md"
_BLOCK: Final = re.compile(r"^```yaml\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown() -> dict[str, str]:
    """Return the text of each file by its name."""
    return {found[1]: found[2] for found in _BLOCK.finditer(GUIDE.read_text("utf-8"))}


def main(folder: str) -> None:
    """Write the files into a folder, for programs that check such files, with a commit where the user puts one."""
    for name, text in shown().items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("@COMMIT", f"@{'0' * 40}"), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
