# SPDX-License-Identifier: MIT
"""Tests of the strategies: what they draw, and what they reach."""
