# SPDX-License-Identifier: MIT
"""Tests of the pytest surface."""
