# SPDX-License-Identifier: MIT
"""Hundreds of thousands of launches: what the suite itself needs must not grow."""
