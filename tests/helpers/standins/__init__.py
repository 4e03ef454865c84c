# SPDX-License-Identifier: MIT
"""Scripts that answer as a helper does."""
