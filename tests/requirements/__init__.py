# SPDX-License-Identifier: MIT
"""The pages about each requirement, the results of released helpers that they show, and whether both are sound."""
