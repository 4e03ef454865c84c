# SPDX-License-Identifier: MIT
"""The tests of the adapters: what they say to a helper, and what they make of binaries that are none."""
