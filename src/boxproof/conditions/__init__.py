# SPDX-License-Identifier: MIT
"""What a host may lack, simulated for one process tree; the machine itself is never changed."""
