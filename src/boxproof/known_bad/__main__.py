# SPDX-License-Identifier: MIT
"""Run as ``python -m boxproof.known_bad``, or by path and without installation: ``python -I -S FOLDER``."""

from __future__ import annotations

import os
import sys

if not __package__:  # started by path: the folder that holds the folder boxproof is where modules are
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from boxproof.known_bad.main import main

sys.exit(main())
