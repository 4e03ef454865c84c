# SPDX-License-Identifier: MIT
"""From a failing case to the smallest that still fails, and whether two of them are one bug."""
