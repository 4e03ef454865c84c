# SPDX-License-Identifier: MIT
"""The site that ``tox -e docs`` builds from the pages of this folder; Sphinx reads these names."""

from __future__ import annotations

import importlib.metadata

project = "Boxproof"
release = importlib.metadata.version("boxproof")
copyright = "The Boxproof developers, MIT licensed"  # noqa: A001 - the name is Sphinx's

extensions = ["myst_parser"]
# a fence without a language is text as a terminal shows it
highlight_language = "none"
myst_heading_anchors = 3
nitpicky = True
exclude_patterns = ["_build"]
# the pages of the requirements are found by a pattern
suppress_warnings = ["toc.empty_glob"]

html_theme = "furo"
html_title = f"Boxproof {release}"
html_copy_source = False
html_show_sphinx = False
