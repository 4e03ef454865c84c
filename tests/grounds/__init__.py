# SPDX-License-Identifier: MIT
"""Where helpers run."""
