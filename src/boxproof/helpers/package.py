# SPDX-License-Identifier: MIT
"""The version of a helper that does not tell its own, from the ``package.json`` of the npm package that it lies in."""

from __future__ import annotations

import json
import os
from pathlib import Path


def version_beside(binary: Path, name: str) -> str:
    """Return the version in the nearest ``package.json`` at or above the binary's real folder.

    Args:
        binary: the helper, or a link to it.
        name: the package's name, or how it begins; a package of another name tells nothing.
    """
    for folder in Path(os.path.realpath(binary)).parents:
        package = folder / "package.json"
        if package.is_file():
            return _version(package, name)
    return ""


def _version(package: Path, name: str) -> str:
    try:
        said = json.loads(package.read_bytes())
    except (OSError, ValueError):
        return ""
    ours = isinstance(said, dict) and str(said.get("name", "")).startswith(name)
    return str(said.get("version", "")) if ours else ""
