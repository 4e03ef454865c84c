# SPDX-License-Identifier: MIT
"""What is published: its version, its files, and that anybody can build the same."""
