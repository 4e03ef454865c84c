# SPDX-License-Identifier: MIT
"""Released helpers: fetched on demand, never part of the repository."""
