# SPDX-License-Identifier: MIT
"""Helpers that are wrong on purpose: each is the reference with exactly one of its functions replaced.

They show that the suite finds what it is for. One module an area; `entry` says what an entry of the table is, `table`
gathers them, and ``python -m boxproof.known_bad NAME ...`` runs one of them with the reference's arguments.

Standard library and the reference only, and kept compatible with Python 3.9, as the reference is.
"""
