# SPDX-License-Identifier: MIT
"""The frozen values that everything else passes around, and the two pure functions that decide what they mean."""
