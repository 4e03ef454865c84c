# SPDX-License-Identifier: MIT
"""A second oracle, built otherwise: it walks the farm on disk with descriptors, and knows no model."""
