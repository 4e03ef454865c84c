# SPDX-License-Identifier: MIT
"""The suite in containers of real images; ``tox -e containers``."""
