# SPDX-License-Identifier: MIT
"""Helpers in a container."""
