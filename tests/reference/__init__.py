# SPDX-License-Identifier: MIT
"""Tests of the reference helper: its pure functions, and whole runs with a real bwrap."""
