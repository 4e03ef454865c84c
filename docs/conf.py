# SPDX-License-Identifier: MIT
"""The site that `tox -e docs` builds from the pages of this folder; Sphinx reads these names.

It loads nothing from anywhere else, so it works from a folder as well as from a server.
"""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

project = "Boxproof"
release = importlib.metadata.version("boxproof")
copyright = "The Boxproof developers, MIT licensed"  # noqa: A001 - the name is Sphinx's

extensions = ["myst_parser"]
myst_heading_anchors = 3
nitpicky = True
# a block without a language is what a terminal shows
highlight_language = "none"

html_theme = "furo"
html_title = f"Boxproof {release}"
html_copy_source = False
html_show_sphinx = False

_GENERATED: Final = "reference/requirements/"


def setup(app: Sphinx) -> None:
    """Let the contents name generated pages that are not there yet, which would be a warning."""
    app.connect("source-read", _without_missing)


def _without_missing(app: Sphinx, name: str, content: list[str]) -> None:
    if name == "index" and not (Path(app.srcdir) / _GENERATED).is_dir():
        content[0] = "".join(line for line in content[0].splitlines(keepends=True) if not line.startswith(_GENERATED))
