# SPDX-License-Identifier: MIT
"""What runs inside the sandbox."""
