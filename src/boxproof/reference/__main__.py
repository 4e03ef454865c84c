# SPDX-License-Identifier: MIT
"""Run as ``python -m boxproof.reference``, or by path and without installation: ``python -I -S FOLDER``."""

from __future__ import annotations

import signal

# Before anything else is imported: Python would answer a SIGINT with a backtrace.
MASK = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM})

import importlib  # noqa: E402 - see above
import os  # noqa: E402
import sys  # noqa: E402


def own_package() -> str:
    """The name under which this folder can be imported; started by path, it is made importable under its own name."""
    if __package__:
        return __package__
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path.append(os.path.dirname(folder))
    return os.path.basename(folder)


# Nothing is buffered and nothing is left to do; taking the interpreter down would take longer than the rest of the end.
os._exit(importlib.import_module(own_package() + ".main").main(set(MASK)))
