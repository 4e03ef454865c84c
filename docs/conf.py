# SPDX-License-Identifier: MIT
"""The site that `tox -e docs` builds from the pages of this folder; Sphinx reads these names.

It loads nothing from anywhere else, so it works from a folder as well as from a server.
"""

from __future__ import annotations

import importlib.metadata

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
