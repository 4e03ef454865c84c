# SPDX-License-Identifier: MIT
"""The contract as cases: one module an area, one function a requirement."""
