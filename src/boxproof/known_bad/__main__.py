# SPDX-License-Identifier: MIT
"""Run as ``python -m boxproof.known_bad``, or by path and without installation: ``python -I -S FOLDER``."""

from __future__ import annotations

import signal

# Before anything else is imported, as the reference does.
MASK = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM})

import os  # noqa: E402 - see above
import sys  # noqa: E402

if not __package__:  # started by path: the folder that holds the folder boxproof is where modules are
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from boxproof.known_bad.main import main  # noqa: E402 - not to be found earlier

sys.exit(main(set(MASK)))
