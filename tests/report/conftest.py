# SPDX-License-Identifier: MIT
"""The same examples on every machine."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("report", derandomize=True, database=None, deadline=None)
settings.load_profile("report")
