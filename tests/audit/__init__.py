# SPDX-License-Identifier: MIT
"""Images held against the layouts that say what their distributions have; ``tox -e audit``."""
