# SPDX-License-Identifier: MIT
"""The tests of the engine itself."""
