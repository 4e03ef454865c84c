# SPDX-License-Identifier: MIT
"""The tests of the commands."""
