# SPDX-License-Identifier: MIT
"""The tests of the farm on disk and of what is compared on it."""
