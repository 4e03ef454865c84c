# SPDX-License-Identifier: MIT
"""Boxproof: a conformance and regression suite for Linux sandbox helpers.

The engine's layers are described in ``docs/architecture.md``; `boxproof.model` is where to start reading.
"""
