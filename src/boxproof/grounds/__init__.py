# SPDX-License-Identifier: MIT
"""Where processes run: who launches run as, where farms lie, and the launcher that starts each helper."""
