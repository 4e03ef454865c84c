# SPDX-License-Identifier: MIT
"""Tests of whole runs: hostile helpers and files, interrupted runs, the installed wheel."""
