# SPDX-License-Identifier: MIT
"""The tests of the model: values, notation, path resolution."""
