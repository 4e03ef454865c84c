# SPDX-License-Identifier: MIT
"""The tests of the judge: every observation is made by hand, and nothing is launched."""
