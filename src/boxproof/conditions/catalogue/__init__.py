# SPDX-License-Identifier: MIT
"""The conditions, one module a subject; `conditions.registry` finds them by name."""
