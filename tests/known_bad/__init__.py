# SPDX-License-Identifier: MIT
"""Tests of the helpers that are wrong on purpose: each is caught by the requirement that is named for it."""
