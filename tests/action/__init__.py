# SPDX-License-Identifier: MIT
"""What CI systems run: the action, and the jobs that the guide shows."""
