# SPDX-License-Identifier: MIT
"""What finished results look like to others. Nothing here runs, judges or decides."""
