# SPDX-License-Identifier: MIT
"""The probe: what runs inside the sandbox, once in POSIX sh and once in C, and the reader of its report."""
