# SPDX-License-Identifier: MIT
"""What people touch: options, collected cases, verdicts in pytest's terms, exit status."""
